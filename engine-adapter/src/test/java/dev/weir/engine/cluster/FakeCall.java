package dev.weir.engine.cluster;

import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A call whose steps the test takes. */
final class FakeCall<T> implements EngineCall<T> {

    final CompletableFuture<T> result = new CompletableFuture<>();
    final CompletableFuture<Void> stopped = new CompletableFuture<>();
    volatile boolean cancelled;

    static <T> FakeCall<T> of(T value) {
        FakeCall<T> call = new FakeCall<>();
        call.stopped.complete(null);
        call.result.complete(value);
        return call;
    }

    static <T> FakeCall<T> failed(EngineFailure failure) {
        FakeCall<T> call = new FakeCall<>();
        call.fail(failure);
        return call;
    }

    void fail(EngineFailure failure) {
        stopped.complete(null);
        result.completeExceptionally(new EngineException(failure, failure + " of a fake"));
    }

    @Override
    public CompletionStage<T> result() {
        return result;
    }

    @Override
    public void cancel() {
        cancelled = true;
        fail(EngineFailure.CANCELLED);
    }

    @Override
    public CompletionStage<Void> stopped() {
        return stopped;
    }
}
