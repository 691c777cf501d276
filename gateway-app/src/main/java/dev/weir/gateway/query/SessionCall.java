package dev.weir.gateway.query;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A call on a session's connection that may have to wait a little for it. Thread-safe. */
final class SessionCall<T> implements EngineCall<T> {

    private final CompletableFuture<T> result = new CompletableFuture<>();
    private final CompletableFuture<Void> stopped = new CompletableFuture<>();

    @GuardedBy("this")
    private @Nullable EngineCall<T> started;

    @GuardedBy("this")
    private boolean over;

    /**
     * Starts it; once, and not after a cancel.
     *
     * @param seen gets the value before anyone else does
     */
    void start(Supplier<EngineCall<T>> start, Consumer<T> seen) {
        EngineCall<T> call;
        synchronized (this) {
            if (over) {
                return;
            }
            over = true;
            call = start.get();
            started = call;
        }
        call.result().whenComplete((value, failure) -> {
            if (failure == null) {
                seen.accept(value);
                result.complete(value);
            } else {
                result.completeExceptionally(failure);
            }
        });
        call.stopped().whenComplete(this::stopped);
    }

    private void stopped(@Nullable Void nothing, @Nullable Throwable never) {
        stopped.complete(nothing);
    }

    @Override
    public CompletionStage<T> result() {
        return result;
    }

    @Override
    public void cancel() {
        EngineCall<T> running;
        synchronized (this) {
            running = started;
            over = true;
        }
        if (running != null) {
            running.cancel();
            return;
        }
        result.completeExceptionally(
                new EngineException(EngineFailure.CANCELLED, "The query was cancelled", "57014", -1, null));
        stopped(null, null);
    }

    @Override
    public CompletionStage<Void> stopped() {
        return stopped;
    }
}
