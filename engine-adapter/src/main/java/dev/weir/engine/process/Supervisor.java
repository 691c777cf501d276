package dev.weir.engine.process;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.EngineNode;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps one child running: when it ends unasked, another is started, at once the first time and later the more often it
 * ends early. Never two at a time, since a database has one owner.
 */
final class Supervisor implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Supervisor.class);

    private static final long FIRST_BACKOFF_MILLIS = 250;
    private static final long LAST_BACKOFF_MILLIS = 30_000;

    /** A child that ran for so long has not failed for what made the one before it fail. */
    private static final Duration STEADY = Duration.ofMinutes(1);

    private final ChildFactory factory;
    private final ChildRequest request;
    private final Duration patience;
    private final ScheduledExecutorService timers;
    private final LongSupplier clock;

    private final Object lock = new Object();

    @GuardedBy("lock")
    private CompletableFuture<Child> current = new CompletableFuture<>();

    @GuardedBy("lock")
    private Instant since = Instant.now();

    @GuardedBy("lock")
    private String trouble = "starting";

    @GuardedBy("lock")
    private long readyAt;

    @GuardedBy("lock")
    private long backoffMillis;

    @GuardedBy("lock")
    private boolean closed;

    /**
     * @param patience how long a call waits for a child that is starting
     * @param clock in nanoseconds
     */
    Supervisor(
            ChildFactory factory,
            ChildRequest request,
            Duration patience,
            ScheduledExecutorService timers,
            LongSupplier clock) {
        this.factory = factory;
        this.request = request;
        this.patience = patience;
        this.timers = timers;
        this.clock = clock;
    }

    /** Starts the first child; completes when it answers, or with the reason why it does not: then there is no second. */
    CompletableFuture<Child> open() {
        CompletableFuture<Child> first = new CompletableFuture<>();
        factory.start(request).whenComplete((child, thrown) -> {
            if (thrown != null) {
                first.completeExceptionally(ChildFailures.root(thrown));
            } else {
                ready(child);
                first.complete(child);
            }
        });
        return first;
    }

    /** A share in the child; waits a bounded time for one that is starting, then fails with UNAVAILABLE. */
    CompletableFuture<Lease> lease() {
        CompletableFuture<Child> now;
        synchronized (lock) {
            if (closed) {
                return CompletableFuture.failedFuture(ChildFailures.unavailable("The engine is closed"));
            }
            now = current;
        }
        CompletableFuture<Lease> lease = new CompletableFuture<>();
        if (!now.isDone()) {
            var late = timers.schedule(
                    () -> lease.completeExceptionally(
                            ChildFailures.unavailable("The engine's process is being started anew; try again")),
                    patience.toMillis(),
                    TimeUnit.MILLISECONDS);
            lease.whenComplete((share, thrown) -> late.cancel(false));
        }
        now.whenComplete((child, thrown) -> {
            if (thrown != null) {
                lease.completeExceptionally(ChildFailures.of(thrown));
            } else {
                lease.complete(new Share(child));
            }
        });
        return lease;
    }

    Optional<Child> child() {
        synchronized (lock) {
            return current.isDone() && !current.isCompletedExceptionally()
                    ? Optional.of(current.join())
                    : Optional.empty();
        }
    }

    private void start() {
        synchronized (lock) {
            if (closed) {
                return;
            }
        }
        factory.start(request).whenComplete((child, thrown) -> {
            if (thrown != null) {
                String reason = String.valueOf(ChildFailures.root(thrown).getMessage());
                again("cannot be started (" + reason + ")", reason);
            } else {
                log.info(
                        "The engine's process is back as {} (process {}); the database has replayed its log",
                        child.name(),
                        child.pid());
                ready(child);
            }
        });
    }

    private void ready(Child child) {
        CompletableFuture<Child> waited;
        synchronized (lock) {
            if (closed) {
                waited = null;
            } else {
                waited = current;
                since = Instant.now();
                readyAt = clock.getAsLong();
            }
        }
        if (waited == null) {
            child.stop();
            return;
        }
        waited.complete(child);
        child.exited().whenComplete((exit, none) -> ended(child, exit));
    }

    private void ended(Child child, ChildExit exit) {
        synchronized (lock) {
            if (closed) {
                return;
            }
            current = new CompletableFuture<>();
            since = Instant.now();
            if (clock.getAsLong() - readyAt > STEADY.toNanos()) {
                backoffMillis = 0;
            }
        }
        again("(" + child.name() + ", process " + child.pid() + ") " + exit.words(), exit.words());
    }

    private void again(String what, String reason) {
        long delay;
        synchronized (lock) {
            if (closed) {
                return;
            }
            delay = backoffMillis;
            backoffMillis = Math.min(LAST_BACKOFF_MILLIS, Math.max(FIRST_BACKOFF_MILLIS, backoffMillis * 2));
            trouble = reason;
        }
        log.error("The engine's process {}; it is started anew {}", what, delay == 0 ? "now" : "in " + delay + " ms");
        var unused = timers.schedule(this::start, delay, TimeUnit.MILLISECONDS);
    }

    EngineNode node() {
        Optional<Child> child = child();
        int running = child.map(up -> up.engine().stats().activeCalls()).orElse(0);
        synchronized (lock) {
            return new EngineNode(
                    child.map(Child::name).orElse("database"),
                    child.map(up -> "pid " + up.pid()).orElse(""),
                    child.isPresent() ? EngineNode.State.HEALTHY : EngineNode.State.DOWN,
                    since,
                    request.slots(),
                    running,
                    request.memoryBytes(),
                    0,
                    factory.limit(),
                    child.isPresent() ? null : trouble);
        }
    }

    @Override
    public void close() {
        CompletableFuture<Child> now;
        synchronized (lock) {
            closed = true;
            now = current;
        }
        now.completeExceptionally(ChildFailures.unavailable("The engine is closed"));
    }

    /** The child, for one of its many calls. */
    private record Share(Child child) implements Lease {

        @Override
        public long memoryBytes() {
            return child.request().memoryBytes();
        }

        @Override
        public boolean isUsed() {
            return true;
        }

        @Override
        public void release(@Nullable EngineException failure) {
            if (failure == null
                    || failure.failure() != EngineFailure.LOST
                    || child.exited().toCompletableFuture().isDone()) {
                return;
            }
            // After a fatal error DuckDB takes no statement any more, in a process that lives on.
            child.engine().check().result().whenComplete((nothing, thrown) -> {
                if (thrown != null) {
                    log.error("{} (process {}) does not answer any more and is ended", child.name(), child.pid());
                    child.kill();
                }
            });
        }

        @Override
        public void stuck() {
            log.warn("A cancelled statement has not stopped yet in process {}", child.pid());
        }
    }
}
