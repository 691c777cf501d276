package dev.weir.gateway.query;

import static dev.weir.gateway.query.QueryHarness.ANN;
import static dev.weir.gateway.query.QueryHarness.STATEMENT;
import static dev.weir.gateway.query.QueryHarness.failure;
import static dev.weir.gateway.query.QueryHarness.now;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.admission.RunPermit;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import java.time.Duration;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Queries for which the engine has no place. */
class BusyEngineTest {

    private final QueryHarness harness = new QueryHarness();

    @AfterEach
    void everythingIsGivenBack() {
        harness.everythingIsGivenBack();
    }

    private QueryExecution sentBack() {
        QueryExecution query = harness.submit(ANN);
        busy(0);
        return query;
    }

    private void busy(int call) {
        harness.engine.calls.get(call).fail(EngineFailure.BUSY, "no place");
    }

    private void grant(int wait) {
        harness.admission.waiting.get(wait).grant();
    }

    private void finish(QueryExecution query, int call) {
        FakeEngine.Result result = harness.open(call);
        ResultStream stream = now(query.stream());
        var pull = stream.next();
        result.end();
        assertThat(now(pull)).isFalse();
        stream.close();
        result.idle();
        assertThat(now(query.done()).state()).isEqualTo(QueryState.FINISHED);
    }

    @Test
    void itIsQueuedAgainAndRunsAtItsNextGrant() {
        QueryExecution query = sentBack();

        QuerySnapshot waits = query.snapshot();
        assertThat(waits.state()).isEqualTo(QueryState.QUEUED);
        assertThat(waits.reservedBytes()).isZero();
        assertThat(waits.running()).isZero();
        assertThat(query.stream().toCompletableFuture()).isNotDone();
        assertThat(harness.admission.held).hasValue(0);
        grant(0);
        assertThat(query.snapshot().state()).isEqualTo(QueryState.RUNNING);
        finish(query, 1);
        assertThat(harness.admission.outcomes).containsExactly(RunPermit.Outcome.FINISHED);
        assertThat(harness.ended).hasSize(1);
    }

    @Test
    void anEngineThatThrowsItAtOnceIsBusyAsWell() {
        harness.engine.refusal = new EngineException(EngineFailure.BUSY, "no place");
        QueryExecution query = harness.submit(ANN);
        assertThat(query.snapshot().state()).isEqualTo(QueryState.QUEUED);
        harness.engine.refusal = null;
        grant(0);
        finish(query, 0);
    }

    @Test
    void itsBackoffDoublesUpToTwoSeconds() {
        QueryExecution query = sentBack();
        for (int i = 0; i < 6; i++) {
            grant(i);
            busy(i + 1);
        }
        assertThat(harness.admission.backoffs)
                .containsExactlyElementsOf(LongStream.of(100, 200, 400, 800, 1600, 2000, 2000)
                        .mapToObj(Duration::ofMillis)
                        .toList());
        query.cancel(CancelReason.CLIENT_CANCEL);
    }

    @Test
    void theStatementClockStandsWhileItWaitsAndStartsAnew() {
        QueryExecution query = harness.submit(ANN);
        harness.timers.advance(STATEMENT.minusSeconds(1));
        busy(0);
        harness.timers.advance(STATEMENT.multipliedBy(2));
        assertThat(query.snapshot().state()).isEqualTo(QueryState.QUEUED);
        grant(0);
        assertThat(harness.engine.queries.get(1).context().timeLeft()).isEqualTo(STATEMENT);
        harness.timers.advance(STATEMENT.minusMillis(1));
        assertThat(query.snapshot().state()).isEqualTo(QueryState.RUNNING);
        harness.timers.advance(Duration.ofMillis(1));
        assertThat(failure(query.stream()).code()).isEqualTo(GatewayErrorCode.STATEMENT_TIMEOUT);
        harness.engine.calls.get(1).stop();
        assertThat(now(query.done()).state()).isEqualTo(QueryState.FAILED);
    }

    @Test
    void itIsCancelledWhileItWaits() {
        QueryExecution query = sentBack();
        assertThat(query.cancel(CancelReason.CLIENT_CANCEL)).isTrue();
        QuerySnapshot last = now(query.done());
        assertThat(last.state()).isEqualTo(QueryState.CANCELLED);
        assertThat(last.cancelledIn()).isEqualTo(QueryState.QUEUED);
        assertThat(harness.ended).hasSize(1);
        assertThat(harness.engine.calls).hasSize(1);
    }

    @Test
    void itIsCancelledBeforeTheEngineSaysThatItIsBusy() {
        QueryExecution query = harness.submit(ANN);
        query.cancel(CancelReason.CLIENT_CANCEL);
        busy(0);
        assertThat(now(query.done()).state()).isEqualTo(QueryState.CANCELLED);
        assertThat(harness.admission.waiting).as("nobody waits for it").isEmpty();
        assertThat(harness.admission.outcomes).containsExactly(RunPermit.Outcome.CANCELLED);
    }

    @Test
    void aCancelWhileThePermitIsGivenBackEndsItOnce() {
        QueryExecution query = harness.submit(ANN);
        harness.admission.onGiveBack = () -> query.cancel(CancelReason.CLIENT_CANCEL);
        busy(0);
        assertThat(now(query.done()).state()).isEqualTo(QueryState.CANCELLED);
        assertThat(harness.ended).hasSize(1);
        harness.timers.advance(RunPlace.PERMIT_GRACE);
    }

    @Test
    void aGrantThatWinsAgainstTheCancelIsClosed() {
        QueryExecution query = harness.submit(ANN);
        harness.admission.onGiveBack = () -> {
            grant(0);
            query.cancel(CancelReason.CLIENT_CANCEL);
        };
        busy(0);
        assertThat(now(query.done()).state()).isEqualTo(QueryState.CANCELLED);
        assertThat(harness.admission.outcomes).containsExactly(RunPermit.Outcome.CANCELLED);
        assertThat(harness.engine.calls).hasSize(1);
    }

    @Test
    void theEngineIsLeftAloneUntilItIsIdle() {
        QueryExecution query = harness.submit(ANN);
        harness.engine.calls.get(0).result.completeExceptionally(new EngineException(EngineFailure.BUSY, "no place"));
        assertThat(harness.admission.waiting).isEmpty();
        assertThat(harness.admission.held).hasValue(1);
        harness.engine.calls.get(0).stopped.complete(null);
        assertThat(harness.admission.waiting).hasSize(1);
        query.cancel(CancelReason.CLIENT_CANCEL);
    }

    @Test
    void aRefusalWhileItWaitsIsItsEnd() {
        QueryExecution query = sentBack();
        harness.admission.waiting.get(0).refuse(new dev.weir.admission.Rejection.Draining(Duration.ofSeconds(5)));
        assertThat(failure(query.stream()).code()).isEqualTo(GatewayErrorCode.DRAINING);
        assertThat(now(query.done()).state()).isEqualTo(QueryState.FAILED);
    }
}
