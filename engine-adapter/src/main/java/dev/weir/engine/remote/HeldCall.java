package dev.weir.engine.remote;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A call that begins once its session is held by the worker. Thread-safe. */
final class HeldCall<T> implements EngineCall<T> {

    private final CompletableFuture<T> result = new CompletableFuture<>();
    private final CompletableFuture<Void> stopped = new CompletableFuture<>();

    @GuardedBy("this")
    private @Nullable EngineCall<T> started;

    @GuardedBy("this")
    private boolean over;

    private HeldCall() {}

    /**
     * @param held completes when the session is there
     * @param start the call
     * @param seen gets its value, or its failure, before anyone else does
     */
    static <T> EngineCall<T> after(
            CompletionStage<Void> held,
            Supplier<EngineCall<T>> start,
            BiConsumer<@Nullable T, @Nullable EngineException> seen) {
        HeldCall<T> call = new HeldCall<>();
        held.whenComplete((nothing, failure) -> {
            if (failure == null) {
                call.start(start, seen);
            } else {
                call.fail(failureOf(failure));
            }
        });
        return call;
    }

    private static EngineException failureOf(Throwable thrown) {
        Throwable cause =
                thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        return cause instanceof EngineException known ? known : Failures.internal(cause);
    }

    private void start(Supplier<EngineCall<T>> start, BiConsumer<@Nullable T, @Nullable EngineException> seen) {
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
                seen.accept(value, null);
                result.complete(value);
            } else {
                EngineException known = failureOf(failure);
                seen.accept(null, known);
                result.completeExceptionally(known);
            }
        });
        call.stopped().whenComplete((nothing, never) -> stopped.complete(nothing));
    }

    private void fail(EngineException failure) {
        synchronized (this) {
            over = true;
        }
        stopped.complete(null);
        result.completeExceptionally(failure);
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
        if (running == null) {
            fail(Failures.cancelled());
        } else {
            running.cancel();
        }
    }

    @Override
    public CompletionStage<Void> stopped() {
        return stopped;
    }
}
