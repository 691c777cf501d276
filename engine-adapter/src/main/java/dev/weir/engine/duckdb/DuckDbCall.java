package dev.weir.engine.duckdb;

import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** A call under way: a future of its value, the scope of its native work and, apart from that, when it is through. */
final class DuckDbCall<T> implements EngineCall<T> {

    private final NativeScope scope;
    private final CompletableFuture<T> result = new CompletableFuture<>();
    private final CompletableFuture<Void> stopped = new CompletableFuture<>();

    private final boolean cancellable;

    DuckDbCall(NativeScope scope) {
        this(scope, true);
    }

    private DuckDbCall(NativeScope scope, boolean cancellable) {
        this.scope = scope;
        this.cancellable = cancellable;
    }

    /** A call that goes on to its end, whatever becomes of who made it. */
    static <T> DuckDbCall<T> uncancellable(NativeScope scope) {
        return new DuckDbCall<>(scope, false);
    }

    /** A call that was refused before anything began. */
    static <T> DuckDbCall<T> failed(Reaper reaper, EngineException failure) {
        DuckDbCall<T> call = new DuckDbCall<>(new NativeScope(reaper));
        call.result.completeExceptionally(failure);
        call.stopped.complete(null);
        return call;
    }

    /** A call whose answer was known. */
    static <T> DuckDbCall<T> completed(Reaper reaper, T value) {
        DuckDbCall<T> call = new DuckDbCall<>(new NativeScope(reaper));
        call.result.complete(value);
        call.stopped.complete(null);
        return call;
    }

    @Override
    public CompletionStage<T> result() {
        return result;
    }

    @Override
    public void cancel() {
        if (cancellable && result.completeExceptionally(ErrorTranslator.cancelled())) {
            scope.cancel();
            scope.stopped().whenComplete((nothing, none) -> stopped.complete(null));
        }
    }

    @Override
    public CompletionStage<Void> stopped() {
        return stopped;
    }

    boolean isDone() {
        return result.isDone();
    }

    /** Hands a value over that lives on by itself; {@code discard} gets it when the call was cancelled meanwhile. */
    void handOver(T value, Consumer<T> discard) {
        if (result.complete(value)) {
            stopped.complete(null);
        } else {
            discard.accept(value);
        }
    }

    /** Ends the call with a value, once its native work is gone. */
    void succeed(T value) {
        scope.stopped().whenComplete((nothing, none) -> {
            stopped.complete(null);
            result.complete(value);
        });
    }

    /** Ends a call that only tells that it worked. */
    @SuppressWarnings("NullAway") // A CompletionStage<Void> completes with null.
    void succeedWithoutValue() {
        succeed(null);
    }

    /** Ends the call with a failure, once its native work is gone. */
    void fail(EngineException failure) {
        scope.stopped().whenComplete((nothing, none) -> {
            stopped.complete(null);
            result.completeExceptionally(failure);
        });
    }
}
