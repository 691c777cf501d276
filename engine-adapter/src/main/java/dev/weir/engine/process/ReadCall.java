package dev.weir.engine.process;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A read that is made once more, in a child that nobody has used, when it ran out of memory in one that others had used
 * and gave nothing yet: what they left there is not its fault. Not more than once, and never after a batch.
 */
final class ReadCall implements EngineCall<ArrowResult> {

    private final CompletableFuture<ArrowResult> result = new CompletableFuture<>();
    private final CompletableFuture<Void> stopped = new CompletableFuture<>();

    @GuardedBy("this")
    private @Nullable LeasedCall<ArrowResult> running;

    @GuardedBy("this")
    private @Nullable Supplier<LeasedCall<ArrowResult>> anew;

    @GuardedBy("this")
    private boolean cancelled;

    private ReadCall(@Nullable Supplier<LeasedCall<ArrowResult>> anew) {
        this.anew = anew;
    }

    /**
     * @param first starts the call
     * @param anew starts it in a child that nobody has used; null when it shall not be made again
     */
    static EngineCall<ArrowResult> start(
            Supplier<LeasedCall<ArrowResult>> first, @Nullable Supplier<LeasedCall<ArrowResult>> anew) {
        ReadCall call = new ReadCall(anew);
        call.run(first, null);
        return call;
    }

    /** @param before what the first attempt failed with; null for the first */
    private void run(Supplier<LeasedCall<ArrowResult>> start, @Nullable Throwable before) {
        LeasedCall<ArrowResult> call = start.get();
        boolean late;
        synchronized (this) {
            running = call;
            late = cancelled;
        }
        if (late) {
            call.cancel();
        }
        call.result().whenComplete((value, thrown) -> {
            if (value != null) {
                opened(call, value);
            } else {
                failed(call, ChildFailures.root(thrown), before);
            }
        });
    }

    private void opened(LeasedCall<ArrowResult> call, ArrowResult value) {
        ReadResult given = new ReadResult((LeasedResult) value, takeAnew());
        if (result.complete(given)) {
            call.stopped().whenComplete((nothing, none) -> stopped.complete(null));
        } else {
            given.stopped().whenComplete((nothing, none) -> stopped.complete(null));
            given.close();
        }
    }

    private void failed(LeasedCall<ArrowResult> call, Throwable thrown, @Nullable Throwable before) {
        Supplier<LeasedCall<ArrowResult>> second = call.mayHaveHadLess(thrown) ? takeAnew() : null;
        if (second == null || result.isDone()) {
            result.completeExceptionally(before == null ? thrown : told(thrown, before));
            call.stopped().whenComplete((nothing, none) -> stopped.complete(null));
            return;
        }
        call.stopped().whenComplete((nothing, none) -> run(second, thrown));
    }

    private synchronized @Nullable Supplier<LeasedCall<ArrowResult>> takeAnew() {
        Supplier<LeasedCall<ArrowResult>> one = anew;
        anew = null;
        return one;
    }

    /** When there is no child for a second attempt, what the first one said stands. */
    static Throwable told(Throwable second, Throwable first) {
        boolean none = second instanceof EngineException failure
                && (failure.failure() == EngineFailure.BUSY || failure.failure() == EngineFailure.UNAVAILABLE);
        return none ? first : second;
    }

    @Override
    public CompletionStage<ArrowResult> result() {
        return result;
    }

    @Override
    public void cancel() {
        if (!result.completeExceptionally(ChildFailures.cancelled())) {
            return;
        }
        LeasedCall<ArrowResult> call;
        synchronized (this) {
            cancelled = true;
            call = running;
        }
        if (call != null) {
            call.cancel();
        }
    }

    @Override
    public CompletionStage<Void> stopped() {
        return stopped;
    }
}
