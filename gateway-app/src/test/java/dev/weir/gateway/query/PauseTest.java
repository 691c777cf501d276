package dev.weir.gateway.query;

import static dev.weir.gateway.query.QueryHarness.ANN;
import static dev.weir.gateway.query.QueryHarness.failure;
import static dev.weir.gateway.query.QueryHarness.now;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.admission.RunPermit;
import dev.weir.engine.EncodedBatch;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A query whose reader pauses lends its slot and takes it back before the engine works for it again. */
class PauseTest {

    private final QueryHarness harness = new QueryHarness();
    private final QueryExecution query = harness.submit(ANN);
    private final FakeEngine.Result result = harness.open(0);
    private final ResultStream stream = now(query.stream());

    @BeforeEach
    void pausesAreAllowed() {
        harness.admission.pausesAllowed = true;
    }

    @AfterEach
    void everythingIsGivenBack() {
        stream.close();
        if (!result.stopped.isDone()) {
            result.idle();
        }
        harness.everythingIsGivenBack();
    }

    @Test
    void aReaderThatPausesLendsTheSlotAndStreamsOnWhenItPulls() {
        batch();
        advance(Duration.ofMillis(1999));
        assertThat(state()).isEqualTo(QueryState.STREAMING);
        advance(Duration.ofMillis(1));
        assertThat(state()).isEqualTo(QueryState.PAUSED);
        assertThat(state().isDone()).isFalse();

        CompletionStage<Boolean> next = stream.next();
        assertThat(state()).isEqualTo(QueryState.STREAMING);
        result.give(1);
        assertThat(now(next)).isTrue();
        advance(Duration.ofSeconds(2));
        assertThat(state()).as("a second pause").isEqualTo(QueryState.PAUSED);
    }

    @Test
    void aResultThatNobodyReadsYetIsPausedToo() {
        advance(Duration.ofSeconds(2));
        assertThat(state()).isEqualTo(QueryState.PAUSED);
    }

    @Test
    void aReaderThatMakesProgressOrWaitsForTheEngineIsNotPaused() {
        batch();
        for (int second = 0; second < 10; second++) {
            stream.delivered(1 << 20);
            advance(Duration.ofSeconds(1));
        }
        assertThat(harness.admission.pausesAsked).isZero();
        stream.next();
        advance(Duration.ofSeconds(30));
        assertThat(harness.admission.pausesAsked).isZero();
        assertThat(state()).isEqualTo(QueryState.STREAMING);
    }

    @Test
    void aPauseThatTheCapsRefuseIsTriedAgain() {
        harness.admission.pausesAllowed = false;
        batch();
        advance(Duration.ofSeconds(2));
        assertThat(harness.admission.pausesAsked).isEqualTo(1);
        assertThat(state()).isEqualTo(QueryState.STREAMING);
        harness.admission.pausesAllowed = true;
        advance(Duration.ofSeconds(2));
        assertThat(state()).isEqualTo(QueryState.PAUSED);
    }

    @Test
    void theEngineIsNotAskedBeforeTheSlotIsBack() {
        CompletionStage<Boolean> next = pullWithoutSlot();
        assertThat(next.toCompletableFuture()).isNotDone();
        assertThat(result.pull)
                .as("the first pull was answered, no other was made")
                .isDone();
        assertThat(state()).isEqualTo(QueryState.PAUSED);

        harness.admission.resuming.complete(null);
        assertThat(state()).isEqualTo(QueryState.STREAMING);
        result.give(2);
        assertThat(now(next)).isTrue();
    }

    @Test
    void anEncodedBatchWaitsForTheSlotAsAnyOther() {
        result.encoded();
        batch();
        advance(Duration.ofSeconds(2));
        assertThat(state()).isEqualTo(QueryState.PAUSED);
        harness.admission.slotFreeAtOnce = false;
        CompletionStage<EncodedBatch> next = stream.nextEncoded();
        assertThat(result.encodedPull).as("the engine is not asked").isNull();

        harness.admission.resuming.complete(null);
        TestBatch batch = result.giveEncoded(2);
        assertThat(now(next)).isSameAs(batch);
        assertThat(query.snapshot().batches()).isEqualTo(2);
        batch.close();
        advance(QueryHarness.STALL);
        assertThat(state()).as("its reader is watched").isEqualTo(QueryState.CANCELLING);
        assertThat(now(stream.aborted()).code()).isEqualTo(GatewayErrorCode.CLIENT_STALLED);
    }

    @Test
    void theStallClockStandsWhileTheQueryWaitsForItsSlot() {
        CompletionStage<Boolean> next = pullWithoutSlot();
        advance(QueryHarness.STALL.multipliedBy(2));
        assertThat(next.toCompletableFuture()).isNotDone();
        assertThat(state()).isEqualTo(QueryState.PAUSED);
        harness.admission.resuming.complete(null);
        result.give(1);
        assertThat(now(next)).isTrue();
        advance(QueryHarness.STALL);
        assertThat(failure(stream.next()).code()).isEqualTo(GatewayErrorCode.CLIENT_STALLED);
    }

    @Test
    void theStatementClockRunsWhileTheQueryWaitsForItsSlot() {
        CompletionStage<Boolean> next = pullWithoutSlot();
        advance(QueryHarness.STATEMENT);
        assertThat(failure(next).code()).isEqualTo(GatewayErrorCode.STATEMENT_TIMEOUT);
        result.idle();
        assertThat(now(query.done()).state()).isEqualTo(QueryState.FAILED);
    }

    @Test
    void aPausedQueryStallsLikeAnyOther() {
        batch();
        advance(QueryHarness.STALL);
        assertThat(failure(stream.next()).code()).isEqualTo(GatewayErrorCode.CLIENT_STALLED);
    }

    @Test
    void aCancelEndsAPausedQuery() {
        batch();
        advance(Duration.ofSeconds(2));
        query.cancel(CancelReason.CLIENT_CANCEL);
        assertThat(state()).isEqualTo(QueryState.CANCELLING);
        assertThat(failure(stream.next()).code()).isEqualTo(GatewayErrorCode.CANCELLED);
        result.idle();
        assertThat(now(query.done()).state()).isEqualTo(QueryState.CANCELLED);
        assertThat(now(query.done()).cancelledIn()).isEqualTo(QueryState.PAUSED);
        assertThat(harness.admission.outcomes).containsExactly(RunPermit.Outcome.CANCELLED);
    }

    @Test
    void aCancelReachesAReaderWhoseQueryWaitsForItsSlotAtOnce() {
        CompletionStage<Boolean> next = pullWithoutSlot();
        query.cancel(CancelReason.CLIENT_CANCEL);
        assertThat(failure(next).code()).isEqualTo(GatewayErrorCode.CANCELLED);
        assertThat(result.closes).isEqualTo(1);
        // The slot comes all the same, too late.
        harness.admission.resuming.complete(null);
        result.idle();
        assertThat(now(query.done()).state()).isEqualTo(QueryState.CANCELLED);
    }

    @Test
    void aReaderThatLeavesWhileItsQueryWaitsForTheSlotEndsIt() {
        CompletionStage<Boolean> next = pullWithoutSlot();
        stream.close();
        assertThat(failure(next).code()).isEqualTo(GatewayErrorCode.CANCELLED);
        result.idle();
        assertThat(now(query.done()).cancelReason()).isEqualTo(CancelReason.CLIENT_GONE);
        assertThat(harness.admission.resuming).isCompletedExceptionally();
    }

    @Test
    void theNewestOfTheQueriesThatRanAtAMomentEndsFirst() {
        advance(Duration.ofMillis(10));
        QueryExecution second = harness.submit(ANN);
        advance(Duration.ofMillis(10));
        long moment = harness.timers.nanoTime();
        advance(Duration.ofMillis(10));
        QueryExecution third = harness.submit(ANN);
        GatewayException failure = new GatewayException(GatewayErrorCode.MEMORY_LIMIT, "short");
        assertThat(harness.service.endNewest(moment, failure)).contains(second.id());
        assertThat(harness.service.endNewest(moment, failure)).contains(query.id());
        assertThat(harness.service.endNewest(moment, failure))
                .as("none of then is left")
                .contains(third.id());
        assertThat(harness.service.endNewest(moment, failure)).isEmpty();
        assertThat(failure(second.stream()).code()).isEqualTo(GatewayErrorCode.MEMORY_LIMIT);
        harness.engine.calls.get(1).stop();
        harness.engine.calls.get(2).stop();
    }

    private CompletionStage<Boolean> pullWithoutSlot() {
        batch();
        advance(Duration.ofSeconds(2));
        harness.admission.slotFreeAtOnce = false;
        return stream.next();
    }

    private void batch() {
        CompletionStage<Boolean> first = stream.next();
        result.give(3);
        assertThat(now(first)).isTrue();
    }

    private void advance(Duration time) {
        harness.timers.advance(time);
    }

    private QueryState state() {
        return query.snapshot().state();
    }
}
