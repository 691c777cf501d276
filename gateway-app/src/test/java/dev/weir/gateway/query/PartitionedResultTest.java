package dev.weir.gateway.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.engine.EncodedBatch;
import dev.weir.engine.EngineFailure;
import java.util.concurrent.CompletionStage;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.IntVector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PartitionedResultTest {

    private final QueryHarness harness = new QueryHarness();
    private final BufferAllocator allocator = new RootAllocator();
    private QueryExecution query;
    private FakeEngine.Result result;
    private PartitionedResult whole;

    @BeforeEach
    void submit() {
        query = harness.submit(QueryHarness.ANN);
        whole = new PartitionedResult(query, 3, true, allocator);
        result = harness.open(0);
    }

    @AfterEach
    void everythingIsGivenBack() {
        result.idle();
        harness.everythingIsGivenBack();
        allocator.close();
    }

    private ResultStream open(int number) {
        return QueryHarness.now(whole.open(number));
    }

    private static boolean now(CompletionStage<Boolean> pull) {
        return QueryHarness.now(pull);
    }

    @Test
    void batchesGoToWhoeverAsksAndTheNextIsAskedForBeforeOneIsHandedOver() {
        ResultStream first = open(0);
        ResultStream second = open(1);
        CompletionStage<Boolean> one = first.next();
        CompletionStage<Boolean> two = second.next();
        result.give(3);
        assertThat(now(one)).isTrue();
        assertThat(first.root().getRowCount()).isEqualTo(3);
        assertThat(first.batchNumber()).hasValue(0);
        assertThat(two.toCompletableFuture()).isNotDone();
        result.give(5);
        assertThat(now(two)).isTrue();
        assertThat(second.root().getRowCount()).isEqualTo(5);
        assertThat(second.batchNumber()).hasValue(1);
        assertThat(((IntVector) first.root().getVector(0)).get(2))
                .as("a batch in one reader's hands is not touched by the next")
                .isEqualTo(2);
        one = first.next();
        two = second.next();
        result.end();
        assertThat(now(one)).isFalse();
        assertThat(now(two)).isFalse();
        first.close();
        assertThat(query.snapshot().state().isDone()).isFalse();
        second.close();
        result.stopped.complete(null);
        assertThat(query.snapshot().state()).isEqualTo(QueryState.FINISHED);
        assertThat(query.snapshot().rows()).isEqualTo(8);
    }

    @Test
    void readOneAfterTheOther() {
        ResultStream first = open(2);
        CompletionStage<Boolean> one = first.next();
        result.give(1);
        assertThat(now(one)).isTrue();
        one = first.next();
        result.end();
        assertThat(now(one)).isFalse();
        first.close();
        result.stopped.complete(null);
        assertThat(query.snapshot().state()).isEqualTo(QueryState.FINISHED);
        ResultStream late = open(0);
        assertThat(now(late.next())).isFalse();
        assertThat(late.root().getRowCount()).isZero();
        assertThat(late.schema()).isEqualTo(FakeEngine.SCHEMA);
        late.close();
    }

    @Test
    void eachCanBeReadOnce() {
        ResultStream first = open(0);
        assertThatThrownBy(() -> whole.open(0))
                .isInstanceOfSatisfying(
                        GatewayException.class,
                        failure -> assertThat(failure.code()).isEqualTo(GatewayErrorCode.CONFLICT));
        assertThatThrownBy(() -> whole.open(3))
                .isInstanceOfSatisfying(
                        GatewayException.class,
                        failure -> assertThat(failure.code()).isEqualTo(GatewayErrorCode.NOT_FOUND));
        first.close();
    }

    @Test
    void aReaderThatLeavesFailsTheOthers() {
        ResultStream first = open(0);
        ResultStream second = open(1);
        CompletionStage<Boolean> waits = second.next();
        first.close();
        assertThat(QueryHarness.failure(waits).code()).isEqualTo(GatewayErrorCode.CANCELLED);
        assertThat(second.aborted().toCompletableFuture()).isDone();
        assertThat(QueryHarness.failure(second.next()).code()).isEqualTo(GatewayErrorCode.CANCELLED);
        second.close();
        result.stopped.complete(null);
        assertThat(query.snapshot().state()).isEqualTo(QueryState.CANCELLED);
        ResultStream late = open(2);
        assertThat(QueryHarness.failure(late.next()).code()).isEqualTo(GatewayErrorCode.CANCELLED);
        late.close();
    }

    @Test
    void aReaderThatHoldsABatchWhileTheQueryFailsKeepsIt() {
        ResultStream first = open(0);
        ResultStream second = open(1);
        CompletionStage<Boolean> one = first.next();
        result.give(4);
        assertThat(now(one)).isTrue();
        CompletionStage<Boolean> two = second.next();
        result.fail(EngineFailure.EXECUTION, "division by zero");
        assertThat(QueryHarness.failure(two).code()).isEqualTo(GatewayErrorCode.EXECUTION_FAILED);
        assertThat(((IntVector) first.root().getVector(0)).get(3)).isEqualTo(3);
        assertThat(QueryHarness.failure(first.next()).code()).isEqualTo(GatewayErrorCode.EXECUTION_FAILED);
        first.close();
        second.close();
        result.stopped.complete(null);
        assertThat(query.snapshot().state()).isEqualTo(QueryState.FAILED);
    }

    @Test
    void encodedBatchesAreHandedOnAndGivenBack() {
        result.encoded();
        ResultStream first = open(0);
        ResultStream second = open(1);
        CompletionStage<EncodedBatch> one = first.nextEncoded();
        TestBatch batch = result.giveEncoded(2);
        assertThat(QueryHarness.now(one)).isSameAs(batch);
        assertThat(first.batchNumber()).hasValue(0);
        batch.close();
        CompletionStage<EncodedBatch> two = second.nextEncoded();
        query.cancel(CancelReason.CLIENT_CANCEL);
        assertThat(QueryHarness.failure(two).code()).isEqualTo(GatewayErrorCode.CANCELLED);
        TestBatch late = result.giveEncoded(2);
        assertThat(late.closes()).isEqualTo(1);
        first.close();
        second.close();
        result.stopped.complete(null);
        assertThat(query.snapshot().state()).isEqualTo(QueryState.CANCELLED);
    }

    @Test
    void aQueryThatIsRefusedFailsEveryPartition() {
        QueryExecution refused = harness.submit(QueryHarness.ANN);
        PartitionedResult parts = new PartitionedResult(refused, 2, false, allocator);
        CompletionStage<ResultStream> before = parts.open(0);
        refused.cancel(CancelReason.CLIENT_CANCEL);
        harness.engine.calls.get(1).stop();
        assertThat(QueryHarness.failure(before).code()).isEqualTo(GatewayErrorCode.CANCELLED);
        assertThat(QueryHarness.failure(parts.open(1)).code()).isEqualTo(GatewayErrorCode.CANCELLED);
        query.cancel(CancelReason.CLIENT_CANCEL);
        result.stopped.complete(null);
    }
}
