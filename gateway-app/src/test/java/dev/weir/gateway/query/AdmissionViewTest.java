package dev.weir.gateway.query;

import static dev.weir.gateway.query.QueryHarness.ANN;
import static dev.weir.gateway.query.QueryHarness.EVE;
import static dev.weir.gateway.query.QueryHarness.ROOT;
import static dev.weir.gateway.query.QueryHarness.now;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.admission.AdmissionRequest;
import dev.weir.admission.AdmissionSnapshot;
import dev.weir.admission.Explanation;
import dev.weir.admission.Priority;
import dev.weir.admission.QueryClass;
import dev.weir.admission.Rejection;
import dev.weir.admission.RunTimeStats;
import dev.weir.admission.WaitInfo;
import dev.weir.admission.WaitReason;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.SessionSettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** What admission tells whom, and what a query passes on to it. */
class AdmissionViewTest {

    private static final QueryRequest HEAVY = new QueryRequest(
            Front.HTTP,
            "select 1",
            List.of(),
            SessionSettings.NONE,
            Optional.empty(),
            Optional.of(Duration.ofSeconds(5)),
            OptionalLong.of(1 << 20),
            Priority.LOW,
            true,
            Map.of());

    private final QueryHarness harness = new QueryHarness();
    private final AdmissionView view = harness.service.admission();

    @Test
    void aQueryPassesClassAndPriorityOn() {
        harness.admission.grantAtOnce = false;
        QueryExecution query = harness.service.submit(ANN, HEAVY);
        AdmissionRequest asked = harness.admission.waiting.get(0).request;
        assertThat(asked.heavy()).isTrue();
        assertThat(asked.priority()).isEqualTo(Priority.LOW);
        assertThat(query.snapshot().queryClass()).isEqualTo("heavy");
        query.cancel(CancelReason.CLIENT_CANCEL);
        assertThat(now(query.done()).cancelledIn()).isEqualTo(QueryState.QUEUED);
    }

    @Test
    void aFailedQueryKeepsTheEnginesStateAndPlace() {
        QueryExecution query = harness.submit(ANN);
        harness.engine
                .calls
                .get(0)
                .fail(new EngineException(EngineFailure.BINDING, "no such table", "42P01", 14, null));
        QuerySnapshot last = now(query.done());
        GatewayException failure = last.failure();
        assertThat(failure).isNotNull();
        assertThat(failure.code()).isEqualTo(GatewayErrorCode.INVALID_SQL);
        assertThat(failure.sqlState()).isEqualTo("42P01");
        assertThat(failure.details().sqlPosition()).isEqualTo(14);
        assertThat(failure.details().queryId()).isEqualTo(query.id());
    }

    @Test
    void othersThanAdminsSeeTotalsTheirGroupAndThemselves() {
        harness.admission.snapshot = new AdmissionSnapshot(
                harness.limits.admission(),
                5,
                2,
                3,
                1,
                900,
                List.of(
                        new AdmissionSnapshot.Group("default", 3, 1, 2, 1, 600),
                        new AdmissionSnapshot.Group("etl", 2, 1, 1, 0, 300)),
                List.of(
                        new AdmissionSnapshot.User("ann", "default", 3, 1, 2, 1, 600),
                        new AdmissionSnapshot.User(DefaultQueryService.INTERNAL_USER, "default", 1, 1, 0, 0, 1),
                        new AdmissionSnapshot.User("eve", "etl", 2, 1, 1, 0, 300)),
                Map.of(WaitReason.MEMORY, 3),
                true,
                false);
        AdmissionSnapshot seen = view.snapshot(ANN);
        assertThat(seen.running()).isEqualTo(5);
        assertThat(seen.held()).isTrue();
        assertThat(seen.groups()).extracting(AdmissionSnapshot.Group::name).containsExactly("default");
        assertThat(seen.users()).extracting(AdmissionSnapshot.User::name).containsExactly("ann");
        assertThat(seen.limits().groups()).containsOnlyKeys("default");
        assertThat(view.snapshot(EVE).groups())
                .extracting(AdmissionSnapshot.Group::name)
                .containsExactly("etl");
        assertThat(view.snapshot(ROOT).users())
                .extracting(AdmissionSnapshot.User::name)
                .containsExactly("ann", "eve");
        assertThat(view.snapshot(ROOT).limits().groups()).containsOnlyKeys("default", "etl");
    }

    @Test
    void historyOfStatementsAndOtherUsersIsForAdmins() {
        harness.admission.learned = List.of(
                stats(RunTimeStats.Scope.STATEMENT, "2a"),
                stats(RunTimeStats.Scope.USER, "ann"),
                stats(RunTimeStats.Scope.USER, "eve"),
                stats(RunTimeStats.Scope.GROUP, "etl"),
                stats(RunTimeStats.Scope.GROUP, "default"));
        assertThat(view.history(ROOT, 2)).extracting(RunTimeStats::key).containsExactly("2a", "ann");
        assertThat(view.history(ANN, 100)).extracting(RunTimeStats::key).containsExactly("ann", "default");
        assertThat(view.history(EVE, 1)).extracting(RunTimeStats::key).containsExactly("eve");
    }

    @Test
    void anExplanationOfAWaitNamesTheLimit() {
        harness.admission.explanation = new Explanation(
                Explanation.Decision.WAIT,
                "etl",
                QueryClass.HEAVY,
                Optional.of(stats(RunTimeStats.Scope.STATEMENT, "2a")),
                500,
                true,
                Optional.of(Duration.ofSeconds(4)),
                Optional.of(
                        new WaitInfo(3, WaitReason.GROUP_MEMORY, Duration.ZERO, Optional.of(Duration.ofSeconds(8)))),
                Optional.empty());
        Explained found = view.explain(EVE, HEAVY);
        assertThat(found.learnedReservation()).isTrue();
        assertThat(harness.admission.explained.heavy()).isTrue();
        assertThat(harness.admission.explained.queueTimeout()).hasSeconds(5);
        assertThat(harness.admission.held).as("takes nothing").hasValue(0);
        assertThat(harness.service.list(ROOT)).isEmpty();
        assertThat(found.position()).isEqualTo(3);
        assertThat(found.limit()).isEqualTo(new ErrorDetails.Limit("group", "groups.etl.memory.budget", "500 B"));
        assertThat(found.predictedWait()).hasSeconds(8);
        assertThat(found.refusal()).isNull();
    }

    @Test
    void anExplanationOfARefusalCarriesItsCode() {
        harness.admission.explanation = new Explanation(
                Explanation.Decision.REFUSE,
                "default",
                QueryClass.UNKNOWN,
                Optional.empty(),
                500,
                true,
                Optional.empty(),
                Optional.empty(),
                Optional.of(new Rejection.QueueFull(Rejection.Scope.USER, "ann", 1, Duration.ofSeconds(2))));
        Explained found = view.explain(ANN, HEAVY);
        assertThat(found.refusal().code()).isEqualTo(GatewayErrorCode.USER_LIMIT);
        assertThat(found.limit()).isEqualTo(new ErrorDetails.Limit("user", "user.max-queued", "1"));
        Explained bad = view.explain(ANN, QueryRequest.of(Front.HTTP, " "));
        assertThat(bad.decision()).isEqualTo(Explanation.Decision.REFUSE);
        assertThat(bad.refusal().code()).isEqualTo(GatewayErrorCode.INVALID_SQL);
    }

    @Test
    void limitsAreForAdmins() {
        assertThat(refused(() -> view.limits(ANN)).code()).isEqualTo(GatewayErrorCode.FORBIDDEN);
        assertThat(refused(() -> view.change(EVE, Map.of("max-running", 9), false))
                        .code())
                .isEqualTo(GatewayErrorCode.FORBIDDEN);
        assertThat(harness.limits.changed).isEmpty();
        assertThat(view.change(ROOT, Map.of("max-running", 9), true))
                .containsEntry("max-running", 9)
                .containsEntry("persist", true);
    }

    private static GatewayException refused(Runnable call) {
        GatewayException refused = catchThrowableOfType(GatewayException.class, call::run);
        assertThat(refused).isNotNull();
        return refused;
    }

    private static RunTimeStats stats(RunTimeStats.Scope scope, String key) {
        Duration time = Duration.ofMillis(20);
        return new RunTimeStats(scope, key, 4, time, time, time, QueryClass.SHORT);
    }
}
