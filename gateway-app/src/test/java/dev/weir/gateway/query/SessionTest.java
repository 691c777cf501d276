package dev.weir.gateway.query;

import static dev.weir.gateway.query.QueryHarness.ANN;
import static dev.weir.gateway.query.QueryHarness.EVE;
import static dev.weir.gateway.query.QueryHarness.failure;
import static dev.weir.gateway.query.QueryHarness.now;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.admission.Priority;
import dev.weir.auth.Identity;
import dev.weir.auth.Role;
import dev.weir.engine.Access;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.SessionSettings;
import dev.weir.engine.SessionStatement;
import dev.weir.engine.StatementKind;
import dev.weir.engine.StatementScan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A session of the service: when it holds a connection, whose it is, and how its transactions end. */
class SessionTest {

    private static final Duration IDLE = SessionLimits.DEFAULT.idleInTransactionTimeout();

    private final QueryHarness harness = new QueryHarness();
    private final QuerySession session = harness.service.openSession(ANN);

    @AfterEach
    void everythingIsGivenBack() {
        session.close();
        assertThat(harness.engine.sessions).allMatch(held -> held.closed.isDone());
        harness.everythingIsGivenBack();
    }

    private QueryExecution submit() {
        return submit(ANN);
    }

    private QueryExecution submit(Identity identity) {
        return session.submit(identity, QueryRequest.of(Front.FLIGHT_SQL, "select 1"));
    }

    private static QueryRequest withMemory(long bytes) {
        return new QueryRequest(
                Front.FLIGHT_SQL,
                "commit",
                List.of(),
                SessionSettings.NONE,
                Optional.empty(),
                Optional.empty(),
                OptionalLong.of(bytes),
                Priority.NORMAL,
                false,
                Map.of());
    }

    private FakeEngineSession held() {
        return harness.engine.sessions.get(harness.engine.sessions.size() - 1);
    }

    /** Runs the n-th statement of the connection to its end. */
    private void finish(int call) {
        FakeEngine.Result result = harness.engine.newResult();
        held().calls.get(call).open(result);
        result.idle();
    }

    private void scanAs(SessionStatement statement) {
        harness.engine.scan = new StatementScan(StatementKind.SESSION, Access.READ, 1, false, statement);
    }

    private void scanAsQuery() {
        harness.engine.scan = new StatementScan(StatementKind.QUERY, Access.READ, 42, false);
    }

    @Test
    void withoutATransactionStatementsHaveConnectionsOfTheirOwn() {
        QueryExecution one = submit();
        QueryExecution other = submit();
        assertThat(harness.engine.calls).hasSize(2);
        assertThat(harness.engine.sessions).isEmpty();
        assertThat(session.isPinned()).isFalse();
        one.cancel(CancelReason.CLIENT_CANCEL);
        other.cancel(CancelReason.CLIENT_CANCEL);
        harness.engine.calls.forEach(FakeEngine.Call::stop);
    }

    @Test
    void aTransactionHasOneConnectionUntilItEnds() {
        String id = now(session.begin(ANN, false));
        assertThat(session.hasTransaction(id)).isTrue();
        QueryExecution query = submit();
        assertThat(harness.engine.calls).isEmpty();
        assertThat(held().queries).hasSize(1);
        assertThat(held().access).isEqualTo(Access.READ);
        finish(0);
        now(query.stream()).close();
        now(session.end(ANN, true));
        assertThat(held().ends).containsExactly("begin", "commit");
        assertThat(held().closed).isDone();
        assertThat(session.hasTransaction(id)).isFalse();
        assertThat(session.isPinned()).isFalse();
    }

    @Test
    void betweenStatementsNoPermitIsHeld() {
        now(session.begin(ANN, false));
        QueryExecution query = submit();
        assertThat(harness.admission.held).hasValue(1);
        finish(0);
        now(query.stream()).close();
        assertThat(harness.admission.held).hasValue(0);
        assertThat(session.inTransaction()).isTrue();
    }

    @Test
    void theStatementThatEndsATransactionDoesNotQueue() {
        now(session.begin(ANN, false));
        harness.admission.grantAtOnce = false;
        QueryExecution waits = submit();
        assertThat(harness.admission.waiting).hasSize(1);
        scanAs(new SessionStatement.Commit());
        harness.lane.grantAtOnce = false;
        QueryExecution commit = session.submit(ANN, withMemory(1L << 20));
        assertThat(harness.admission.waiting).hasSize(1);
        // The place has no memory of its own to give.
        assertThat(harness.lane.waiting)
                .singleElement()
                .satisfies(asked -> assertThat(asked.request.memoryBytes()).isEmpty());
        harness.lane.waiting.get(0).grant();
        assertThat(harness.lane.held).hasValue(1);
        finish(0);
        now(commit.stream()).close();
        assertThat(harness.lane.held).hasValue(0);
        waits.cancel(CancelReason.CLIENT_CANCEL);
        now(session.end(ANN, false));
        QueryExecution outside = submit();
        assertThat(harness.admission.waiting).hasSize(2);
        outside.cancel(CancelReason.CLIENT_CANCEL);
        scanAsQuery();
    }

    @Test
    void anIdleTransactionIsRolledBackAndItsClientIsTold() {
        String id = now(session.begin(ANN, false));
        harness.timers.advance(IDLE);
        assertThat(held().closed).isDone();
        GatewayException told = failure(submit().stream());
        assertThat(told.code()).isEqualTo(GatewayErrorCode.CONFLICT);
        assertThat(told.text()).contains("idle-in-transaction-timeout").contains("rolled back");
        assertThat(failure(session.describe(ANN, "select 1", SessionSettings.NONE))
                        .code())
                .isEqualTo(GatewayErrorCode.CONFLICT);
        assertThat(session.hasTransaction(id)).isTrue();
        assertThat(failure(session.end(ANN, true)).code()).isEqualTo(GatewayErrorCode.CONFLICT);
        assertThat(session.hasTransaction(id)).isFalse();
        QueryExecution query = submit();
        assertThat(harness.engine.calls).hasSize(1);
        query.cancel(CancelReason.CLIENT_CANCEL);
        harness.engine.calls.get(0).stop();
    }

    @Test
    void theRollbackOfATimedOutTransactionSucceeds() {
        now(session.begin(ANN, false));
        harness.timers.advance(IDLE);
        now(session.end(ANN, false));
        assertThat(session.inTransaction()).isFalse();
        now(session.begin(ANN, false));
    }

    @Test
    void statementsKeepATransactionAlive() {
        now(session.begin(ANN, false));
        QueryExecution query = submit();
        harness.timers.advance(IDLE.plusSeconds(1));
        assertThat(held().closed).isNotDone();
        finish(0);
        now(query.stream()).close();
        harness.timers.advance(IDLE.minusSeconds(1));
        assertThat(held().closed).isNotDone();
        harness.timers.advance(Duration.ofSeconds(1));
        assertThat(held().closed).isDone();
    }

    @Test
    void aTimeoutLeavesTemporaryObjects() {
        now(session.begin(ANN, false));
        held().temporary = true;
        harness.timers.advance(IDLE);
        assertThat(held().ends).containsExactly("begin", "rollback");
        assertThat(held().closed).isNotDone();
        assertThat(failure(submit().stream()).code()).isEqualTo(GatewayErrorCode.CONFLICT);
        now(session.end(ANN, false));
        QueryExecution query = submit();
        assertThat(held().queries).hasSize(1);
        finish(0);
        now(query.stream()).close();
    }

    @Test
    void temporaryObjectsKeepTheConnection() {
        scanAs(new SessionStatement.Temporary());
        QueryExecution create = submit();
        held().temporary = true;
        finish(0);
        now(create.stream()).close();
        scanAsQuery();
        QueryExecution read = submit();
        assertThat(held().queries).hasSize(2);
        assertThat(harness.engine.calls).isEmpty();
        finish(1);
        now(read.stream()).close();
        assertThat(held().closed).isNotDone();
    }

    @Test
    void aSettingIsRememberedAndItsConnectionGivenBack() {
        scanAs(new SessionStatement.Setting(SessionStatement.Setting.Name.SCHEMA, List.of("s")));
        QueryExecution use = submit();
        held().settings = new SessionSettings("memory", "s", null);
        finish(0);
        now(use.stream()).close();
        assertThat(session.settings()).isEqualTo(new SessionSettings("memory", "s", null));
        assertThat(held().closed).isDone();
    }

    @Test
    void aTransactionMayBeBegunByAStatement() {
        scanAs(new SessionStatement.Begin(false));
        QueryExecution begin = submit();
        held().transaction = true;
        finish(0);
        now(begin.stream()).close();
        assertThat(session.inTransaction()).isTrue();
        now(session.end(ANN, false));
        assertThat(held().closed).isDone();
    }

    @Test
    void aStatementWaitsALittleForTheResultBeforeIt() {
        now(session.begin(ANN, false));
        QueryExecution first = submit();
        FakeEngine.Result open = harness.engine.newResult();
        held().calls.get(0).open(open);
        QueryExecution second = submit();
        assertThat(held().queries).hasSize(1);
        now(first.stream()).close();
        open.idle();
        assertThat(held().queries).hasSize(2);
        QueryExecution third = submit();
        harness.timers.advance(SessionConnection.GRACE);
        assertThat(held().queries).hasSize(3);
        held().calls.get(2).fail(EngineFailure.CONFLICT, "There is an open result.");
        assertThat(failure(third.stream()).code()).isEqualTo(GatewayErrorCode.CONFLICT);
        finish(1);
        now(second.stream()).close();
    }

    @Test
    void aStatementThatIsCancelledWhileItWaitsNeverStarts() {
        now(session.begin(ANN, false));
        QueryExecution first = submit();
        QueryExecution second = submit();
        second.cancel(CancelReason.CLIENT_GONE);
        assertThat(now(second.done()).state()).isEqualTo(QueryState.CANCELLED);
        finish(0);
        now(first.stream()).close();
        assertThat(held().queries).hasSize(1);
    }

    @Test
    void aSessionIsItsUsers() {
        GatewayException refused = catchThrowableOfType(GatewayException.class, () -> submit(EVE));
        assertThat(refused.code()).isEqualTo(GatewayErrorCode.NOT_FOUND);
        assertThat(failure(session.begin(EVE, false)).code()).isEqualTo(GatewayErrorCode.NOT_FOUND);
        assertThat(failure(session.end(EVE, true)).code()).isEqualTo(GatewayErrorCode.NOT_FOUND);
        assertThatThrownBy(() -> session.describe(EVE, "select 1", SessionSettings.NONE))
                .isInstanceOf(GatewayException.class);
    }

    @Test
    void anotherRoleLosesWhatTheSessionHeld() {
        now(session.begin(ANN, false));
        Identity writer = new Identity(ANN.user(), ANN.groups(), Role.WRITER);
        assertThat(failure(submit(writer).stream()).text()).contains("role");
        assertThat(held().closed).isDone();
        assertThat(failure(submit(writer).stream()).code()).isEqualTo(GatewayErrorCode.CONFLICT);
        now(session.end(writer, false));
        now(session.begin(writer, false));
        assertThat(held().access).isEqualTo(Access.WRITE);
    }

    @Test
    void aUserHasSoManySessions() {
        List<QuerySession> others = new ArrayList<>();
        for (int i = 1; i < SessionLimits.DEFAULT.maxPerUser(); i++) {
            others.add(harness.service.openSession(ANN));
        }
        GatewayException refused = catchThrowableOfType(GatewayException.class, () -> harness.service.openSession(ANN));
        assertThat(refused.code()).isEqualTo(GatewayErrorCode.USER_LIMIT);
        harness.service.openSession(EVE).close();
        others.get(0).close();
        others.set(0, harness.service.openSession(ANN));
        others.forEach(QuerySession::close);
        assertThat(harness.service.openSessions()).isEqualTo(1);
    }

    @Test
    void closingEndsWhatRuns() {
        now(session.begin(ANN, false));
        QueryExecution query = submit();
        session.close();
        assertThat(failure(query.stream()).code()).isEqualTo(GatewayErrorCode.CANCELLED);
        held().calls.get(0).stop();
        assertThat(catchThrowableOfType(GatewayException.class, this::submit).code())
                .isEqualTo(GatewayErrorCode.NOT_FOUND);
    }

    @Test
    void aTransactionEndsOnce() {
        assertThat(failure(session.end(ANN, true)).code()).isEqualTo(GatewayErrorCode.CONFLICT);
        now(session.begin(ANN, false));
        assertThat(failure(session.begin(ANN, false)).code()).isEqualTo(GatewayErrorCode.CONFLICT);
        now(session.end(ANN, true));
        assertThat(failure(session.end(ANN, false)).code()).isEqualTo(GatewayErrorCode.CONFLICT);
    }

    @Test
    void figuresCountSessionsTheirTransactionsAndTheirConnections() {
        assertThat(harness.service.sessionFigures()).isEqualTo(new SessionFigures(1, 0, 0, 0));
        now(session.begin(ANN, false));
        QuerySession other = harness.service.openSession(ANN);
        assertThat(harness.service.sessionFigures()).isEqualTo(new SessionFigures(2, 1, 1, 0));
        other.close();
        harness.timers.advance(IDLE);
        // Its client has not ended it yet.
        assertThat(harness.service.sessionFigures()).isEqualTo(new SessionFigures(1, 1, 0, 1));
        now(session.end(ANN, false));
        assertThat(harness.service.sessionFigures()).isEqualTo(new SessionFigures(1, 0, 0, 1));
    }
}
