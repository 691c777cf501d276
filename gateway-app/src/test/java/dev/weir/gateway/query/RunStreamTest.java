package dev.weir.gateway.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.engine.EncodedBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RunStreamTest {

    private final FakeEngine engine = new FakeEngine();
    private final List<Long> handed = new ArrayList<>();
    private final RunStream.Owner owner = new Owner();

    @AfterEach
    void everythingIsGivenBack() {
        engine.close();
    }

    @Test
    void aBatchThatComesAfterTheCloseIsNotHandedOver() {
        FakeEngine.Result result = engine.newResult();
        CompletableFuture<Boolean> pull = new CompletableFuture<>();
        RunStream stream = new RunStream(owner, result.answering(pull));
        CompletionStage<Boolean> next = stream.next();
        stream.close();
        assertThat(result.closes).isEqualTo(1);

        pull.complete(true);

        assertThatThrownBy(() -> next.toCompletableFuture().join())
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(GatewayException.class)
                .hasMessageContaining("closed");
        assertThat(handed).isEmpty();
        assertThat(stream.readerIdleNanos(5)).as("the stream stays closed").isZero();
        assertThatThrownBy(stream::next).isInstanceOf(IllegalStateException.class);
        stream.close();
        assertThat(result.closes).as("closed once").isEqualTo(1);
        result.idle();
    }

    @Test
    void encodedBatchesAreCountedAndHandedOverUntilTheEnd() {
        FakeEngine.Result result = engine.newResult().encoded();
        RunStream stream = new RunStream(owner, result);
        assertThat(stream.givesEncoded()).isTrue();
        CompletionStage<EncodedBatch> next = stream.nextEncoded();
        TestBatch batch = result.giveEncoded(3);
        assertThat(next.toCompletableFuture().join()).isSameAs(batch);
        assertThat(handed).containsExactly(3L);
        assertThat(batch.closes()).as("it is the reader's").isZero();

        next = stream.nextEncoded();
        assertThatThrownBy(stream::nextEncoded).isInstanceOf(IllegalStateException.class);
        result.encodedPull.complete(null);
        assertThat(next.toCompletableFuture()).isCompletedWithValue(null);
        assertThat(stream.nextEncoded().toCompletableFuture()).isCompletedWithValue(null);
        assertThat(stream.next().toCompletableFuture()).isCompletedWithValue(false);
        assertThat(handed).containsExactly(3L);
        batch.close();
        stream.close();
        result.idle();
    }

    @Test
    void theTwoWaysOfPullingMayBeMixed() {
        FakeEngine.Result result = engine.newResult().encoded();
        RunStream stream = new RunStream(owner, result);
        stream.nextEncoded();
        result.giveEncoded(3).close();
        CompletionStage<Boolean> loaded = stream.next();
        result.give(2);
        assertThat(loaded.toCompletableFuture()).isCompletedWithValue(true);
        stream.nextEncoded();
        result.giveEncoded(1).close();

        assertThat(handed).containsExactly(3L, 2L, 1L);
        stream.close();
        result.idle();
    }

    @Test
    void anEncodedBatchThatComesAfterTheCloseIsGivenBack() {
        FakeEngine.Result result = engine.newResult().encoded();
        RunStream stream = new RunStream(owner, result);
        CompletionStage<EncodedBatch> next = stream.nextEncoded();
        stream.close();

        TestBatch batch = result.giveEncoded(3);

        assertThat(next.toCompletableFuture()).isCompletedExceptionally();
        assertThat(batch.closes()).isEqualTo(1);
        assertThat(handed).isEmpty();
        result.idle();
    }

    @Test
    void anEncodedBatchThatComesAfterAnAbortIsGivenBack() {
        FakeEngine.Result result = engine.newResult().encoded();
        RunStream stream = new RunStream(owner, result);
        CompletionStage<EncodedBatch> next = stream.nextEncoded();
        stream.abort(new GatewayException(GatewayErrorCode.STATEMENT_TIMEOUT, "late"));

        TestBatch batch = result.giveEncoded(3);

        assertThatThrownBy(() -> next.toCompletableFuture().join()).hasMessageContaining("late");
        assertThat(batch.closes()).isEqualTo(1);
        result.idle();
    }

    @Test
    void anEncodedBatchWhoseQueryEndsAsItIsHandedOverIsGivenBackOrTheReaders() {
        FakeEngine.Result result = engine.newResult().encoded();
        RunStream stream = new RunStream(owner, result);
        stream.nextEncoded();
        TestBatch batch = result.giveEncoded(3);

        stream.abort(new GatewayException(GatewayErrorCode.STATEMENT_TIMEOUT, "late"));

        assertThat(batch.closes()).as("the reader has it").isZero();
        assertThat(result.cancelled)
                .as("that could free what the reader works on")
                .isFalse();
        assertThat(result.closes).as("it is closed by the reader's next call").isZero();
        assertThat(stream.nextEncoded().toCompletableFuture()).isCompletedExceptionally();
        assertThat(result.closes).isEqualTo(1);
        batch.close();
        result.idle();
    }

    @Test
    void aBatchForAPullThatEndedWhileItWaitedForItsSlotIsGivenBack() {
        FakeEngine.Result result = engine.newResult().encoded();
        // The reader hears of the end while its batch is on the way: between the slot's return and the hand-over.
        TestBatch[] batch = new TestBatch[1];
        RunStream[] stream = new RunStream[1];
        stream[0] = new RunStream(
                new Owner() {
                    @Override
                    public CompletionStage<Void> pulled() {
                        return CompletableFuture.completedFuture(null);
                    }

                    @Override
                    public void handed(long rows) {
                        stream[0].abort(new GatewayException(GatewayErrorCode.STATEMENT_TIMEOUT, "late"));
                    }
                },
                result);
        CompletionStage<EncodedBatch> next = stream[0].nextEncoded();
        batch[0] = result.giveEncoded(3);

        assertThatThrownBy(() -> next.toCompletableFuture().join()).hasMessageContaining("late");
        assertThat(batch[0].closes()).isEqualTo(1);
        stream[0].close();
        result.idle();
    }

    private class Owner implements RunStream.Owner {
        @Override
        public long nanoTime() {
            return 0;
        }

        @Override
        public void handed(long rows) {
            handed.add(rows);
        }

        @Override
        public void sent(long bytes) {}

        @Override
        public GatewayException failed(Throwable thrown) {
            return new GatewayException(GatewayErrorCode.EXECUTION_FAILED, "failed");
        }

        @Override
        public void readerDone(boolean complete) {}
    }
}
