package dev.weir.engine.process;

import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.QueryEngine;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A call in a child that is got first and given back at the end. The child of a call that does not stop in time after a
 * cancel is told to be stuck.
 *
 * @param <T> what the call yields
 */
final class LeasedCall<T> implements EngineCall<T> {

    /** What calls share. */
    record Terms(ChildFailures failures, ScheduledExecutorService timers, long stuckMillis) {}

    /** Children that may be gone before a call that may be made again comes to them. */
    private static final int MOST_TRIES = 3;

    private final Terms terms;
    private final Supplier<CompletableFuture<Lease>> leases;
    private final Function<QueryEngine, EngineCall<T>> work;
    private final int mostTries;
    private final CompletableFuture<T> result = new CompletableFuture<>();
    private final CompletableFuture<Void> stopped = new CompletableFuture<>();
    private int tries;
    private volatile @Nullable CompletableFuture<Lease> waiting;
    private volatile @Nullable EngineCall<T> running;
    private volatile @Nullable Lease lease;

    private LeasedCall(
            Terms terms,
            Supplier<CompletableFuture<Lease>> leases,
            Function<QueryEngine, EngineCall<T>> work,
            int mostTries) {
        this.mostTries = mostTries;
        this.terms = terms;
        this.leases = leases;
        this.work = work;
    }

    /**
     * Starts a call that is made once.
     *
     * @param leases gets a child; completing what it gives makes it forget the wish
     * @param work what is called there
     */
    static <T> EngineCall<T> start(
            Terms terms, Supplier<CompletableFuture<Lease>> leases, Function<QueryEngine, EngineCall<T>> work) {
        LeasedCall<T> call = new LeasedCall<>(terms, leases, work, 1);
        call.begin();
        return call;
    }

    /** Starts a call that changes nothing, and so is made again in another child when its own was gone already. */
    static <T> LeasedCall<T> startRead(
            Terms terms, Supplier<CompletableFuture<Lease>> leases, Function<QueryEngine, EngineCall<T>> work) {
        LeasedCall<T> call = new LeasedCall<>(terms, leases, work, MOST_TRIES);
        call.begin();
        return call;
    }

    /** A call that was refused before anything began. */
    static <T> EngineCall<T> failed(Terms terms, EngineException failure) {
        return start(terms, () -> CompletableFuture.failedFuture(failure), engine -> {
            throw failure;
        });
    }

    private void begin() {
        tries++;
        CompletableFuture<Lease> wish = leases.get();
        waiting = wish;
        wish.whenComplete((got, thrown) -> {
            if (thrown != null) {
                stopped.complete(null);
                result.completeExceptionally(ChildFailures.of(thrown));
            } else if (result.isDone()) {
                got.release(null);
                stopped.complete(null);
            } else {
                run(got);
            }
        });
        if (result.isDone()) {
            wish.completeExceptionally(ChildFailures.cancelled());
        }
    }

    private void run(Lease got) {
        lease = got;
        EngineCall<T> call = work.apply(got.child().engine());
        running = call;
        if (result.isDone()) {
            cancel(call, got);
        }
        call.result().whenComplete((value, thrown) -> {
            if (thrown == null) {
                succeeded(got, call, value);
            } else {
                failed(got, call, ChildFailures.of(thrown));
            }
        });
    }

    private void succeeded(Lease got, EngineCall<T> call, T value) {
        if (!(value instanceof ArrowResult rows)) {
            call.stopped().whenComplete((nothing, none) -> {
                got.release(null);
                stopped.complete(null);
                result.complete(value);
            });
            return;
        }
        LeasedResult leased = new LeasedResult(rows, got, terms);
        @SuppressWarnings("unchecked") // The value is an ArrowResult, so T is its type or above.
        T given = (T) leased;
        if (result.complete(given)) {
            stopped.complete(null);
        } else {
            leased.stopped().whenComplete((nothing, none) -> stopped.complete(null));
            leased.close();
        }
    }

    private void failed(Lease got, EngineCall<T> call, EngineException failure) {
        call.stopped().whenComplete((nothing, none) -> {
            got.release(failure);
            boolean again = failure.failure() == EngineFailure.UNAVAILABLE && tries < mostTries && !result.isDone();
            if (again) {
                begin();
                return;
            }
            terms.failures().translate(failure, got).whenComplete((told, impossible) -> {
                stopped.complete(null);
                result.completeExceptionally(told);
            });
        });
    }

    /** Whether it failed by memory in a child that others had used: it may have had less than was promised to it. */
    boolean mayHaveHadLess(Throwable thrown) {
        Lease got = lease;
        return got != null && ChildFailures.mayHaveHadLess(ChildFailures.of(thrown), got);
    }

    private void cancel(EngineCall<T> call, Lease got) {
        call.cancel();
        stuckUnless(stopped, got, terms);
    }

    /** Looks once, in time, whether something has stopped. */
    static void stuckUnless(CompletableFuture<Void> stopped, Lease lease, Terms terms) {
        if (stopped.isDone()) {
            return;
        }
        var late = terms.timers()
                .schedule(
                        () -> {
                            if (!stopped.isDone()) {
                                lease.stuck();
                            }
                        },
                        terms.stuckMillis(),
                        TimeUnit.MILLISECONDS);
        stopped.whenComplete((nothing, none) -> late.cancel(false));
    }

    @Override
    public CompletionStage<T> result() {
        return result;
    }

    @Override
    public void cancel() {
        if (!result.completeExceptionally(ChildFailures.cancelled())) {
            return;
        }
        EngineCall<T> call = running;
        Lease got = lease;
        if (call != null && got != null) {
            cancel(call, got);
            return;
        }
        CompletableFuture<Lease> wish = waiting;
        if (wish != null) {
            wish.completeExceptionally(ChildFailures.cancelled());
        }
    }

    @Override
    public CompletionStage<Void> stopped() {
        return stopped;
    }
}
