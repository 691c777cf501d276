package dev.weir.gateway.query;

import static dev.weir.gateway.query.QueryHarness.ANN;
import static dev.weir.gateway.query.QueryHarness.STATEMENT;
import static dev.weir.gateway.query.QueryHarness.failure;
import static dev.weir.gateway.query.QueryHarness.now;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.admission.RunPermit;
import dev.weir.engine.Access;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.StatementKind;
import dev.weir.engine.StatementScan;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Learning of memory never makes a query fail that would have worked. */
class LearnedMemoryTest {

    private final QueryHarness harness = new QueryHarness();

    @BeforeEach
    void reservationsAreLearned() {
        harness.admission.learnedReservation = true;
    }

    @AfterEach
    void everythingIsGivenBack() {
        harness.everythingIsGivenBack();
    }

    private void grantDefault() {
        harness.admission.waiting.get(0).grant();
    }

    private void memory(int call) {
        harness.engine.calls.get(call).fail(EngineFailure.MEMORY, "too much");
    }

    private void finish(QueryExecution query, ResultStream stream, FakeEngine.Result result) {
        CompletionStage<Boolean> pull = stream.next();
        result.end();
        assertThat(now(pull)).isFalse();
        stream.close();
        result.idle();
        assertThat(now(query.done()).state()).isEqualTo(QueryState.FINISHED);
        assertThat(harness.ended).hasSize(1);
    }

    @Test
    void theMeasuredPeakOfAFinishedQueryIsReported() {
        QueryExecution query = harness.submit(ANN);
        FakeEngine.Result result = harness.open(0);
        result.peakMemoryBytes = OptionalLong.of(77);
        finish(query, now(query.stream()), result);
        assertThat(harness.admission.peaks).containsExactly(77L);
    }

    @Test
    void theFigureOfAQueryThatDidNotFinishIsNot() {
        QueryExecution query = harness.submit(ANN);
        FakeEngine.Result result = harness.open(0);
        result.peakMemoryBytes = OptionalLong.of(77);
        query.cancel(CancelReason.CLIENT_CANCEL);
        result.idle();
        assertThat(now(query.done()).state()).isEqualTo(QueryState.CANCELLED);
        assertThat(harness.admission.peaks).isEmpty();
    }

    @Test
    void aReadThatFailsBeforeItsResultRunsOnceMoreWithTheDefault() {
        QueryExecution query = harness.submit(ANN);
        memory(0);
        assertThat(query.snapshot().state()).isEqualTo(QueryState.QUEUED);
        assertThat(harness.admission.forDefault).isEqualTo(1);
        grantDefault();
        FakeEngine.Result result = harness.open(1);
        finish(query, now(query.stream()), result);
        assertThat(harness.admission.outcomes).containsExactly(RunPermit.Outcome.FINISHED);
    }

    @Test
    void withTheDefaultItFailsForGood() {
        QueryExecution query = harness.submit(ANN);
        memory(0);
        grantDefault();
        memory(1);
        assertThat(failure(query.stream()).code()).isEqualTo(GatewayErrorCode.MEMORY_LIMIT);
        assertThat(now(query.done()).state()).isEqualTo(QueryState.FAILED);
        assertThat(harness.admission.forDefault).isEqualTo(1);
    }

    @Test
    void aReservationThatWasNotLearnedIsTheLastWord() {
        harness.admission.learnedReservation = false;
        QueryExecution query = harness.submit(ANN);
        memory(0);
        assertThat(failure(query.stream()).code()).isEqualTo(GatewayErrorCode.MEMORY_LIMIT);
        assertThat(harness.admission.forDefault).isZero();
    }

    @Test
    void aWriteIsNotRunAgain() {
        harness.engine.scan = new StatementScan(StatementKind.DML, Access.WRITE, 42, false);
        QueryExecution query = harness.submit(QueryHarness.EVE);
        memory(0);
        assertThat(failure(query.stream()).code()).isEqualTo(GatewayErrorCode.MEMORY_LIMIT);
        assertThat(harness.admission.forDefault).isZero();
    }

    @Test
    void aReadThatFailsAtItsFirstBatchGoesOnWithAnotherResult() {
        QueryExecution query = harness.submit(ANN);
        FakeEngine.Result first = harness.open(0);
        ResultStream stream = now(query.stream());
        CompletionStage<Boolean> pull = stream.next();
        first.fail(EngineFailure.MEMORY, "too much");
        assertThat(first.closes).isPositive();
        assertThat(harness.admission.waiting).as("the engine is not idle yet").isEmpty();
        first.idle();
        assertThat(query.snapshot().state()).isEqualTo(QueryState.QUEUED);
        assertThat(pull.toCompletableFuture()).isNotDone();

        grantDefault();
        FakeEngine.Result second = harness.open(1);
        assertThat(query.snapshot().state()).isEqualTo(QueryState.STREAMING);
        second.give(3);

        assertThat(now(pull)).isTrue();
        assertThat(stream.root().getRowCount()).isEqualTo(3);
        finish(query, stream, second);
        assertThat(harness.admission.outcomes).containsExactly(RunPermit.Outcome.FINISHED);
    }

    @Test
    void anEngineThatIsIdleAtOnceAfterItsFailureIsNotTakenForTheEnd() {
        QueryExecution query = harness.submit(ANN);
        FakeEngine.Result first = harness.open(0);
        ResultStream stream = now(query.stream());
        CompletionStage<Boolean> pull = stream.next();
        first.idle();
        first.fail(EngineFailure.MEMORY, "too much");
        grantDefault();
        FakeEngine.Result second = harness.open(1);
        query.cancel(CancelReason.CLIENT_CANCEL);
        assertThat(query.done().toCompletableFuture()).as("the second runs").isNotDone();
        assertThat(failure(pull).code()).isEqualTo(GatewayErrorCode.CANCELLED);
        second.idle();
        assertThat(now(query.done()).state()).isEqualTo(QueryState.CANCELLED);
        assertThat(second.closes).isPositive();
    }

    @Test
    void afterABatchThereIsNoSecondTry() {
        QueryExecution query = harness.submit(ANN);
        FakeEngine.Result result = harness.open(0);
        ResultStream stream = now(query.stream());
        CompletionStage<Boolean> pull = stream.next();
        result.give(1);
        assertThat(now(pull)).isTrue();
        pull = stream.next();
        result.fail(EngineFailure.MEMORY, "too much");
        assertThat(failure(pull).code()).isEqualTo(GatewayErrorCode.MEMORY_LIMIT);
        stream.close();
        result.idle();
        assertThat(harness.admission.forDefault).isZero();
        assertThat(now(query.done()).error()).isEqualTo(GatewayErrorCode.MEMORY_LIMIT);
    }

    @Test
    void aCancelWhileItWaitsForTheDefaultReachesTheReader() {
        QueryExecution query = harness.submit(ANN);
        FakeEngine.Result first = harness.open(0);
        ResultStream stream = now(query.stream());
        CompletionStage<Boolean> pull = stream.next();
        first.fail(EngineFailure.MEMORY, "too much");
        first.idle();

        query.cancel(CancelReason.CLIENT_CANCEL);

        assertThat(failure(pull).code()).isEqualTo(GatewayErrorCode.CANCELLED);
        assertThat(now(query.done()).state()).isEqualTo(QueryState.CANCELLED);
        stream.close();
        assertThat(harness.engine.calls).hasSize(1);
    }

    @Test
    void aReaderThatLeavesMeanwhileEndsIt() {
        QueryExecution query = harness.submit(ANN);
        FakeEngine.Result first = harness.open(0);
        ResultStream stream = now(query.stream());
        stream.next();
        first.fail(EngineFailure.MEMORY, "too much");
        stream.close();
        assertThat(query.done().toCompletableFuture()).isNotDone();
        first.idle();
        assertThat(now(query.done()).cancelReason()).isEqualTo(CancelReason.CLIENT_GONE);
    }

    @Test
    void theStatementClockGoesOnWhileItWaits() {
        QueryExecution query = harness.submit(ANN);
        harness.timers.advance(Duration.ofMinutes(4));
        memory(0);
        harness.timers.advance(Duration.ofMinutes(1));
        grantDefault();
        assertThat(harness.engine.queries.get(1).context().timeLeft()).isEqualTo(STATEMENT.minusMinutes(5));
        harness.timers.advance(STATEMENT.minusMinutes(5));
        assertThat(failure(query.stream()).code()).isEqualTo(GatewayErrorCode.STATEMENT_TIMEOUT);
        harness.engine.calls.get(1).stop();
        assertThat(now(query.done()).state()).isEqualTo(QueryState.FAILED);
    }
}
