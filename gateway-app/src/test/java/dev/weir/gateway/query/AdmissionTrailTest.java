package dev.weir.gateway.query;

import static dev.weir.gateway.query.QueryHarness.ANN;
import static dev.weir.gateway.query.QueryHarness.STALL;
import static dev.weir.gateway.query.QueryHarness.STATEMENT;
import static dev.weir.gateway.query.QueryHarness.now;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.admission.AdmissionController;
import dev.weir.admission.AdmissionControllers;
import dev.weir.admission.AdmissionLimits;
import dev.weir.admission.AdmissionListener;
import dev.weir.admission.GroupLimits;
import dev.weir.admission.Priority;
import dev.weir.admission.UserLimits;
import dev.weir.auth.Identity;
import dev.weir.auth.Role;
import dev.weir.engine.SessionSettings;
import dev.weir.gateway.query.AdmissionTrail.Decision;
import dev.weir.gateway.query.AdmissionTrail.Step;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A query knows what the real controller decided about it, and when. */
class AdmissionTrailTest {

    private static final Duration QUEUE_TIMEOUT = Duration.ofSeconds(60);

    private final FakeEngine engine = new FakeEngine();
    private final FakeTimers timers = new FakeTimers();
    private final AdmissionRelay relay = new AdmissionRelay();
    private final AdmissionController admission = controller(relay);
    private final List<String> told = new ArrayList<>();
    private final List<QuerySnapshot> ended = new ArrayList<>();
    private final DefaultQueryService service = new DefaultQueryService(
            engine,
            new DefaultQueryService.Controllers(
                    admission, relay, controller(AdmissionListener.NONE), controller(AdmissionListener.NONE)),
            new FakeLimits(new QueryLimits(QUEUE_TIMEOUT, STATEMENT, STALL, Duration.ofSeconds(30))),
            timers,
            Clock.fixed(Instant.parse("2026-01-01T00:00:00Z"), ZoneOffset.UTC),
            new QueryListener() {
                @Override
                public void decided(String queryId, Step step) {
                    told.add(queryId + " " + step.decision());
                }

                @Override
                public void done(QuerySnapshot query) {
                    ended.add(query);
                }
            });

    @AfterEach
    void everythingIsGivenBack() {
        assertThat(admission.snapshot().running()).isZero();
        assertThat(admission.snapshot().reservedBytes()).isZero();
        assertThat(admission.listenerFailures()).isZero();
        engine.close();
    }

    /** One slot of all, one in the lane, and one query may be paused. */
    private AdmissionController controller(AdmissionListener listener) {
        GroupLimits everyone =
                new GroupLimits(1, 9, 1, QUEUE_TIMEOUT, 1000, 100, 1000, null, new UserLimits(1, 9, 1, null));
        AdmissionLimits limits = new AdmissionLimits(
                1, 9, 1, Duration.ofMillis(250), 1, 1000, null, Map.of(AdmissionLimits.DEFAULT_GROUP, everyone));
        return AdmissionControllers.create(
                limits,
                timers::nanoTime,
                (task, nanos) -> timers.schedule(Duration.ofNanos(nanos), task)::cancel,
                Runnable::run,
                listener);
    }

    @Test
    void everyDecisionOfALifeIsThereWithItsTime() {
        QueryExecution query = submit(false);
        Reader reader = new Reader(query, 0);
        assertThat(steps(query.snapshot())).containsExactly("0 GRANTED short probation");
        reader.batch();
        advance(1000);
        assertThat(query.snapshot().lane()).isEqualTo("all");
        assertThat(query.snapshot().admission().overran()).isTrue();
        advance(1500);
        assertThat(query.snapshot().state()).isEqualTo(QueryState.PAUSED);
        assertThat(query.snapshot().admission().paused())
                .as("a pause under way counts")
                .isEqualTo(Duration.ofMillis(500));
        advance(500);
        reader.batch();
        advance(100);
        reader.end();

        QuerySnapshot last = now(query.done());
        assertThat(steps(last))
                .containsExactly(
                        "0 GRANTED short probation", "250 OVERRAN", "2000 PAUSED", "3000 RESUMED", "3100 RELEASED");
        assertThat(last.admission().pauses()).isEqualTo(1);
        assertThat(last.admission().paused()).isEqualTo(Duration.ofSeconds(1));
        assertThat(ended).containsExactly(last);
        assertThat(told)
                .containsExactly(
                        query.id() + " GRANTED",
                        query.id() + " OVERRAN",
                        query.id() + " PAUSED",
                        query.id() + " RESUMED",
                        query.id() + " RELEASED");
    }

    @Test
    void aGrantTellsItsPlaceAndWhy() {
        QueryExecution first = submit(false);
        advance(10);
        new Reader(first, 0).end();
        QueryExecution known = submit(false);
        QueryExecution second = submit(false);
        QueryExecution waiting = submit(true);
        assertThat(steps(known.snapshot())).containsExactly("0 GRANTED short known_short");
        assertThat(steps(second.snapshot())).containsExactly("0 GRANTED all lane_full");
        assertThat(steps(waiting.snapshot())).containsExactly("0 QUEUED");
        advance(20);
        new Reader(second, 2).end();
        assertThat(steps(waiting.snapshot())).containsExactly("0 QUEUED", "20 GRANTED all declared_heavy");
        new Reader(known, 1).end();
        new Reader(waiting, 3).end();
    }

    @Test
    void aStatementThatWasLongBeforeIsToldApart() {
        QueryExecution first = submit(false);
        advance(1000);
        new Reader(first, 0).end();
        QueryExecution heavy = submit(false);
        assertThat(steps(heavy.snapshot())).containsExactly("0 GRANTED all known_heavy");
        new Reader(heavy, 1).end();
    }

    @Test
    void anUnknownStatementWithoutAPlaceForProbationIsToldApart() {
        QueryExecution first = submit(false);
        QueryExecution second = submit(false);
        assertThat(steps(second.snapshot())).containsExactly("0 GRANTED all unknown");
        new Reader(first, 0).end();
        new Reader(second, 1).end();
    }

    @Test
    void aRefusalNamesTheLimit() {
        QueryExecution runs = submit(true);
        QueryExecution late = submit(true);
        advance(QUEUE_TIMEOUT.toMillis());
        QuerySnapshot refused = now(late.done());
        assertThat(refused.error()).isEqualTo(GatewayErrorCode.QUEUE_TIMEOUT);
        assertThat(steps(refused))
                .containsExactly(
                        "0 QUEUED",
                        "60000 REJECTED " + refused.errorDetails().limit().name());
        new Reader(runs, 0).end();
        admission.drain();
        assertThat(steps(now(submit(false).done()))).containsExactly("0 REJECTED draining");
    }

    @Test
    void aQueryThatIsGivenUpWhileItWaitsSaysSo() {
        QueryExecution runs = submit(true);
        QueryExecution waits = submit(true);
        advance(5);
        waits.cancel(CancelReason.CLIENT_CANCEL);
        assertThat(steps(now(waits.done()))).containsExactly("0 QUEUED", "5 CANCELLED");
        new Reader(runs, 0).end();
    }

    @Test
    void theGatewaysOwnQueriesAreNotTold() {
        QueryExecution own = service.submit(
                new Identity(DefaultQueryService.INTERNAL_USER, List.of(), Role.READER),
                QueryRequest.of(Front.HTTP, "select 1"));
        new Reader(own, 0).end();
        assertThat(told).isEmpty();
    }

    @Test
    void aQueryThatPausesForEverTakesNoMoreMemoryForIt() {
        TrailRecorder recorder = new TrailRecorder(0);
        recorder.add(Decision.GRANTED, 0, "all", "unknown");
        for (int i = 0; i < 1000; i++) {
            recorder.add(Decision.PAUSED, 10L * i, null, null);
            recorder.add(Decision.RESUMED, 10L * i + 3, null, null);
        }
        recorder.add(Decision.OVERRAN, 10_001, null, null);
        recorder.add(Decision.RELEASED, 10_002, null, null);
        AdmissionTrail trail = recorder.trail(10_002);
        assertThat(trail.pauses()).isEqualTo(1000);
        assertThat(trail.paused()).isEqualTo(Duration.ofNanos(3000));
        assertThat(trail.steps()).hasSize(1 + 2 * AdmissionTrail.LISTED_PAUSES + 2);
        assertThat(trail.steps().get(trail.steps().size() - 1).decision()).isEqualTo(Decision.RELEASED);
    }

    @Test
    void aPauseThatIsToldAfterTheReleaseDoesNotRunOn() {
        TrailRecorder recorder = new TrailRecorder(0);
        recorder.add(Decision.PAUSED, 10, null, null);
        recorder.add(Decision.RELEASED, 30, null, null);
        recorder.add(Decision.RESUMED, 40, null, null);
        recorder.add(Decision.PAUSED, 50, null, null);
        AdmissionTrail trail = recorder.trail(90);
        assertThat(trail.paused()).isEqualTo(Duration.ofNanos(20));
        assertThat(trail.pauses()).isEqualTo(2);
        assertThat(trail.steps()).extracting(Step::decision).containsExactly(Decision.PAUSED, Decision.RELEASED);
    }

    private QueryExecution submit(boolean heavy) {
        return service.submit(
                ANN,
                new QueryRequest(
                        Front.HTTP,
                        "select 1",
                        List.of(),
                        SessionSettings.NONE,
                        Optional.empty(),
                        Optional.empty(),
                        OptionalLong.empty(),
                        Priority.NORMAL,
                        heavy,
                        Map.of()));
    }

    private void advance(long millis) {
        timers.advance(Duration.ofMillis(millis));
    }

    private static List<String> steps(QuerySnapshot query) {
        return query.admission().steps().stream()
                .map(step -> step.at().toMillis() + " " + step.decision()
                        + (step.place() == null ? "" : " " + step.place())
                        + (step.why() == null ? "" : " " + step.why()))
                .toList();
    }

    /** The client of a query that the engine has opened. */
    private final class Reader {

        private final FakeEngine.Result result = engine.newResult();
        private final ResultStream stream;

        Reader(QueryExecution query, int call) {
            engine.calls.get(call).open(result);
            stream = now(query.stream());
        }

        void batch() {
            CompletionStage<Boolean> next = stream.next();
            result.give(1);
            assertThat(now(next)).isTrue();
        }

        void end() {
            CompletionStage<Boolean> next = stream.next();
            result.end();
            assertThat(now(next)).isFalse();
            stream.close();
            result.idle();
        }
    }
}
