package dev.weir.engine.process;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.engine.EngineException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One child of the pool that many short calls use at once. When one of them spoils it, the next calls go to another
 * child; those that are in it may end there.
 */
final class SharedChild implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(SharedChild.class);

    /** A child with a call that cannot be stopped is ended after this, its other calls with it. */
    private static final long STUCK_MILLIS = 5_000;

    private final ChildPool pool;
    private final Supplier<FileVersion> version;
    private final ScheduledExecutorService timers;
    private final Object lock = new Object();

    @GuardedBy("lock")
    private @Nullable CompletableFuture<Tenancy> current;

    SharedChild(ChildPool pool, Supplier<FileVersion> version, ScheduledExecutorService timers) {
        this.pool = pool;
        this.version = version;
        this.timers = timers;
    }

    /** As {@link ChildPool#borrow} gives a child. */
    CompletableFuture<Lease> lease() {
        CompletableFuture<Lease> lease = new CompletableFuture<>();
        tenancy().whenComplete((tenancy, thrown) -> {
            if (thrown != null) {
                lease.completeExceptionally(thrown);
                return;
            }
            Lease share = tenancy.share();
            if (share == null) {
                again(lease);
            } else if (!lease.complete(share)) {
                share.release(null);
            }
        });
        return lease;
    }

    /** The child was given up just when it was found. */
    private void again(CompletableFuture<Lease> lease) {
        lease().whenComplete((share, thrown) -> {
            if (thrown != null) {
                lease.completeExceptionally(thrown);
            } else if (!lease.complete(share)) {
                share.release(null);
            }
        });
    }

    private CompletableFuture<Tenancy> tenancy() {
        CompletableFuture<Tenancy> wanted = new CompletableFuture<>();
        Tenancy old = null;
        synchronized (lock) {
            CompletableFuture<Tenancy> now = current;
            if (now != null && !now.isDone()) {
                return now;
            }
            if (now != null && !now.isCompletedExceptionally()) {
                old = now.join();
                if (old.isGood(version.get())) {
                    return now;
                }
            }
            current = wanted;
        }
        if (old != null) {
            old.retire();
        }
        pool.borrow(Use.SHARED, 0).whenComplete((lease, thrown) -> {
            if (thrown != null) {
                wanted.completeExceptionally(thrown);
            } else {
                wanted.complete(new Tenancy(lease));
            }
        });
        return wanted;
    }

    @Override
    public void close() {
        CompletableFuture<Tenancy> now;
        synchronized (lock) {
            now = current;
            current = null;
        }
        if (now != null) {
            now.thenAccept(Tenancy::retire);
        }
    }

    /** The time of one child as the shared one. */
    private final class Tenancy {

        private final Lease lease;
        private final Object own = new Object();

        @GuardedBy("own")
        private int users;

        @GuardedBy("own")
        private boolean retired;

        @GuardedBy("own")
        private @Nullable EngineException spoiled;

        Tenancy(Lease lease) {
            this.lease = lease;
        }

        boolean isGood(FileVersion now) {
            synchronized (own) {
                return !retired
                        && !now.replaces(lease.child().request().version())
                        && !lease.child().exited().toCompletableFuture().isDone();
            }
        }

        /** Null when nobody may come in any more. */
        @Nullable
        Lease share() {
            synchronized (own) {
                if (retired) {
                    return null;
                }
                users++;
            }
            return new Share(this);
        }

        void retire() {
            boolean last;
            synchronized (own) {
                last = !retired && users == 0;
                retired = true;
            }
            if (last) {
                giveBack();
            }
        }

        void left(@Nullable EngineException failure) {
            boolean last;
            synchronized (own) {
                users--;
                if (ChildFailures.spoils(failure)) {
                    spoiled = failure;
                    retired = true;
                }
                last = retired && users == 0;
            }
            if (last) {
                giveBack();
            }
        }

        private void giveBack() {
            EngineException failure;
            synchronized (own) {
                failure = spoiled;
            }
            lease.release(failure);
        }

        /** Nobody new comes in; whoever does not leave in time goes with the process. */
        void stuck() {
            retire();
            var unused = timers.schedule(
                    () -> {
                        boolean occupied;
                        synchronized (own) {
                            occupied = users > 0;
                        }
                        if (occupied) {
                            log.warn(
                                    "A cancelled statement did not stop; the shared process {} is ended",
                                    lease.child().pid());
                            lease.child().kill();
                        }
                    },
                    STUCK_MILLIS,
                    TimeUnit.MILLISECONDS);
        }
    }

    /** The part of one call in the shared child. */
    private final class Share implements Lease {

        private final Tenancy tenancy;
        private final AtomicBoolean released = new AtomicBoolean();

        Share(Tenancy tenancy) {
            this.tenancy = tenancy;
        }

        @Override
        public Child child() {
            return tenancy.lease.child();
        }

        @Override
        public long memoryBytes() {
            return tenancy.lease.memoryBytes();
        }

        @Override
        public boolean isUsed() {
            return true;
        }

        @Override
        public void release(@Nullable EngineException failure) {
            if (released.compareAndSet(false, true)) {
                tenancy.left(failure);
            }
        }

        @Override
        public void stuck() {
            tenancy.stuck();
        }
    }
}
