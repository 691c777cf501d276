package dev.weir.gateway.config;

import dev.weir.gateway.query.Timers;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Timers on one daemon thread; their tasks are short by contract. Cancelled ones are removed at once. */
final class RealTimers implements Timers, AutoCloseable {

    private final ScheduledThreadPoolExecutor executor;

    RealTimers() {
        executor = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "weir-timers");
            thread.setDaemon(true);
            return thread;
        });
        executor.setRemoveOnCancelPolicy(true);
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public Timer schedule(Duration delay, Runnable task) {
        Future<?> scheduled = executor.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
        return () -> scheduled.cancel(false);
    }

    ScheduledThreadPoolExecutor executor() {
        return executor;
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
