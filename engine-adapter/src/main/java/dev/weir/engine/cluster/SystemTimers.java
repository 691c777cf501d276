package dev.weir.engine.cluster;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Timers on one daemon thread. */
final class SystemTimers implements ClusterTimers {

    private static final Logger log = LoggerFactory.getLogger(SystemTimers.class);

    private final ScheduledThreadPoolExecutor executor;

    SystemTimers() {
        executor = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "weir-workers");
            thread.setDaemon(true);
            return thread;
        });
        executor.setRemoveOnCancelPolicy(true);
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public Runnable schedule(Duration delay, Runnable task) {
        try {
            Future<?> scheduled = executor.schedule(() -> guarded(task), delay.toNanos(), TimeUnit.NANOSECONDS);
            return () -> scheduled.cancel(false);
        } catch (RejectedExecutionException closed) {
            return () -> {};
        }
    }

    private static void guarded(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            log.error("Watching the workers failed", e);
        }
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
