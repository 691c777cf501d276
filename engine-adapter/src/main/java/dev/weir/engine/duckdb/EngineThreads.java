package dev.weir.engine.duckdb;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The threads that go into native code. Their stacks hold what the scan lets through: on a stack of 1 MiB a list nested
 * 900 deep ends the process, on 64 MiB it does not (the memory is only taken when used).
 *
 * <p>New calls are bounded. The next batch of an open result always gets a thread: the number of results is bounded by
 * the calls that made them, and a stream must not wait behind queries that were started after it.
 */
final class EngineThreads {

    private static final int SET_ASIDE = 8;

    private final int maxCalls;
    private final long stackBytes;
    private final AtomicInteger active = new AtomicInteger();
    private final AtomicInteger numbers = new AtomicInteger();
    private final ThreadPoolExecutor pool;

    EngineThreads(int maxCalls, long stackBytes) {
        this.maxCalls = maxCalls;
        this.stackBytes = stackBytes;
        this.pool = new ThreadPoolExecutor(
                0, Integer.MAX_VALUE, 60, TimeUnit.SECONDS, new SynchronousQueue<>(), EngineThread::new);
    }

    /** Threads that have work now. */
    int active() {
        return active.get();
    }

    /** Runs a new statement; false when as many threads as allowed are busy, or after {@link #shutdown()}. */
    boolean tryRun(Runnable task) {
        return tryRun(task, maxCalls);
    }

    /** Runs a short call of the gateway's own, for which a few threads are set aside: it answers at saturation too. */
    boolean tryRunAside(Runnable task) {
        return tryRun(task, maxCalls + SET_ASIDE);
    }

    private boolean tryRun(Runnable task, int most) {
        if (active.incrementAndGet() > most) {
            active.decrementAndGet();
            return false;
        }
        return submit(task);
    }

    /**
     * Goes on with an open result. Called on an engine thread, as the continuation of the batch before, the work follows
     * on the same thread as soon as that has returned; false after {@link #shutdown()}.
     */
    boolean run(Runnable task) {
        if (Thread.currentThread() instanceof EngineThread self && self.follows(this, task)) {
            return true;
        }
        active.incrementAndGet();
        return submit(task);
    }

    private boolean submit(Runnable task) {
        try {
            pool.execute(() -> work(task));
            return true;
        } catch (RejectedExecutionException e) {
            active.decrementAndGet();
            return false;
        }
    }

    private void work(Runnable first) {
        EngineThread self = (EngineThread) Thread.currentThread();
        try {
            Runnable task = first;
            while (task != null) {
                self.owner = this;
                task.run();
                task = self.takeFollowing();
            }
        } finally {
            self.owner = null;
            active.decrementAndGet();
        }
    }

    /** Takes no more work; what runs goes on. */
    void shutdown() {
        pool.shutdown();
    }

    /** One thread, with the task that goes on where its current one ends. */
    private final class EngineThread extends Thread {

        private @Nullable EngineThreads owner;
        private @Nullable Runnable following;

        EngineThread(Runnable body) {
            super(null, body, "weir-duckdb-" + numbers.incrementAndGet(), stackBytes);
            setDaemon(true);
        }

        boolean follows(EngineThreads engine, Runnable task) {
            if (owner != engine || following != null) {
                return false;
            }
            following = task;
            return true;
        }

        @Nullable
        Runnable takeFollowing() {
            Runnable task = following;
            following = null;
            return task;
        }
    }
}
