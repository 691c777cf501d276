package dev.weir.gateway.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
    private final RunStream.Owner owner = new RunStream.Owner() {
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
    };

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
}
