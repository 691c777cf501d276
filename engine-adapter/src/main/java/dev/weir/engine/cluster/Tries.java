package dev.weir.engine.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.QueryContext;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The tries of one query: one worker after the other until one takes it, each at most once, all within the time that the
 * query had at the first. A statement that changes something is tried once. Each try holds a lease until its worker is
 * idle for it. Thread-safe; one try at a time.
 */
final class Tries {

    /** A query that lost this many workers is taken for what they were lost to. */
    private static final int MOST_LOSSES = 2;

    private final Members members;
    private final ClusterTimers timers;
    private final WorkersListener listener;
    private final Work work;
    private final boolean write;
    private final boolean repeatable;
    private final long began;

    @GuardedBy("this")
    private final Set<Member> tried = new HashSet<>();

    @GuardedBy("this")
    private int losses;

    @GuardedBy("this")
    private boolean busy;

    @GuardedBy("this")
    private boolean cancelled;

    @GuardedBy("this")
    private @Nullable EngineCall<ArrowResult> call;

    @GuardedBy("this")
    private CompletableFuture<Void> idle = CompletableFuture.completedFuture(null);

    /**
     * @param work what is tried
     * @param write whether the statement needs a worker that can write
     * @param repeatable whether it may run twice: it reads and nothing else
     */
    Tries(
            Members members,
            ClusterTimers timers,
            WorkersListener listener,
            Work work,
            boolean write,
            boolean repeatable) {
        this.members = members;
        this.timers = timers;
        this.listener = listener;
        this.work = work;
        this.write = write;
        this.repeatable = repeatable;
        this.began = timers.nanoTime();
    }

    /** Opens the result on the first worker that takes the query. */
    CompletionStage<Opened> open() {
        CompletableFuture<Opened> opened = new CompletableFuture<>();
        next(null, opened);
        return opened;
    }

    /**
     * Opens it elsewhere, after what had been opened failed before anything of it was delivered.
     *
     * @return a stage that fails with {@code because} when no other worker takes the query
     */
    CompletionStage<Opened> reopen(Member on, EngineException because) {
        CompletableFuture<Opened> opened = new CompletableFuture<>();
        CompletableFuture<Opened> elsewhere = new CompletableFuture<>();
        failed(on, because, elsewhere);
        elsewhere.whenComplete((result, thrown) -> {
            if (result != null) {
                opened.complete(result);
            } else {
                boolean decided =
                        failureOf(thrown) == EngineFailure.CANCELLED || failureOf(thrown) == EngineFailure.TIMED_OUT;
                opened.completeExceptionally(decided ? unwrap(thrown) : because);
            }
        });
        return opened;
    }

    private void next(@Nullable EngineException because, CompletableFuture<Opened> opened) {
        QueryContext context;
        Lease lease;
        try {
            context = remaining();
            lease = take();
        } catch (EngineException e) {
            opened.completeExceptionally(told(e, because));
            return;
        }
        EngineCall<ArrowResult> started;
        try {
            started = work.on(lease.engine(), context);
        } catch (RuntimeException e) {
            lease.release();
            opened.completeExceptionally(engineFailure(e));
            return;
        }
        boolean late;
        synchronized (this) {
            call = started;
            late = cancelled;
        }
        if (late) {
            started.cancel();
        }
        started.result().whenComplete((result, thrown) -> {
            if (result != null) {
                opened(lease, result, opened);
            } else {
                untilIdle(started.stopped(), lease);
                failed(lease.member(), engineFailure(thrown), opened);
            }
        });
    }

    private void opened(Lease lease, ArrowResult result, CompletableFuture<Opened> opened) {
        untilIdle(result.stopped(), lease);
        if (!opened.complete(new Opened(lease.member(), result))) {
            result.close();
        }
    }

    private void failed(Member on, EngineException failure, CompletableFuture<Opened> opened) {
        boolean again;
        synchronized (this) {
            // Where a worker was full, nothing was started: any statement may go elsewhere.
            boolean full = failure.failure() == EngineFailure.BUSY;
            busy |= full;
            losses += failure.failure() == EngineFailure.LOST ? 1 : 0;
            boolean repeats = repeatable && mayGoElsewhere(failure.failure()) && losses < MOST_LOSSES;
            again = !cancelled && (full || repeats);
        }
        members.failed(on, failure.failure());
        if (again) {
            listener.retried(on.address.name(), failure.failure());
            next(failure, opened);
        } else {
            opened.completeExceptionally(failure);
        }
    }

    static boolean mayGoElsewhere(EngineFailure failure) {
        return failure == EngineFailure.LOST || failure == EngineFailure.UNAVAILABLE || failure == EngineFailure.BUSY;
    }

    private synchronized Lease take() {
        if (cancelled) {
            throw cancelled();
        }
        Lease lease = members.take(work.context().memoryBytes(), write, tried);
        tried.add(lease.member());
        return lease;
    }

    /** What is told when no further worker takes the query: that it can be asked again soon, before all else. */
    private synchronized EngineException told(EngineException last, @Nullable EngineException because) {
        boolean noneLeft = switch (last.failure()) {
            case UNAVAILABLE, MEMORY, FORBIDDEN -> true;
            default -> false;
        };
        if (because == null || cancelled || !noneLeft) {
            return last;
        }
        return busy ? new EngineException(EngineFailure.BUSY, "Every worker is full") : because;
    }

    /** With the time that is left. */
    private QueryContext remaining() {
        QueryContext context = work.context();
        Duration given = context.timeLeft();
        if (given == null) {
            return context;
        }
        Duration left = given.minusNanos(timers.nanoTime() - began);
        if (left.isNegative() || left.isZero()) {
            throw new EngineException(EngineFailure.TIMED_OUT, "The statement's time is over");
        }
        return new QueryContext(
                context.user(), context.memoryBytes(), context.shortQuery(), left, context.traceParent());
    }

    private void untilIdle(CompletionStage<Void> stopped, Lease lease) {
        CompletableFuture<Void> released = new CompletableFuture<>();
        synchronized (this) {
            idle = CompletableFuture.allOf(idle, released);
        }
        stopped.whenComplete((nothing, never) -> {
            lease.release();
            released.complete(null);
        });
    }

    /** Completes when every worker that was tried so far is idle for the query. */
    synchronized CompletionStage<Void> idle() {
        return idle;
    }

    /** No further tries; the one under way is cancelled unless it is open already. */
    void cancel() {
        EngineCall<ArrowResult> running;
        synchronized (this) {
            cancelled = true;
            running = call;
        }
        if (running != null) {
            running.cancel();
        }
    }

    static EngineException cancelled() {
        return new EngineException(EngineFailure.CANCELLED, "The statement was cancelled", "57014", -1, null);
    }

    static Throwable unwrap(Throwable thrown) {
        return thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
    }

    static EngineException engineFailure(@Nullable Throwable thrown) {
        Throwable cause = thrown == null ? new IllegalStateException("no result") : unwrap(thrown);
        return cause instanceof EngineException known
                ? known
                : new EngineException(EngineFailure.INTERNAL, "A worker's answer could not be used", null, -1, cause);
    }

    private static EngineFailure failureOf(Throwable thrown) {
        return engineFailure(thrown).failure();
    }

    /** A result, and where it is. */
    record Opened(Member member, ArrowResult result) {}
}
