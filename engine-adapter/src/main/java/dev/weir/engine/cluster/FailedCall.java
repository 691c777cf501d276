package dev.weir.engine.cluster;

import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A call that was refused before any worker was asked. */
record FailedCall<T>(EngineException failure) implements EngineCall<T> {

    @Override
    public CompletionStage<T> result() {
        return CompletableFuture.failedFuture(failure);
    }

    @Override
    public void cancel() {
        // It has ended.
    }

    @Override
    public CompletionStage<Void> stopped() {
        return CompletableFuture.completedFuture(null);
    }
}
