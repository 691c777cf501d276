package dev.weir.admission;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * Runs a task later, once. The controller keeps at most one task scheduled at a time, whatever the number of waiters.
 * Must never run a task within {@code schedule}. Thread-safe.
 */
@FunctionalInterface
public interface Scheduler {

    /**
     * Runs the task after a delay.
     *
     * @param delayNanos at least 0
     * @throws java.util.concurrent.RejectedExecutionException when it was shut down
     */
    Handle schedule(Runnable task, long delayNanos);

    /** A task that was scheduled. */
    @FunctionalInterface
    interface Handle {

        /** Keeps the task from running if it has not begun; else does nothing. */
        void cancel();
    }

    /**
     * Schedules on an executor of the JDK. The caller keeps owning the executor, and should set its
     * remove-on-cancel policy.
     */
    static Scheduler on(ScheduledExecutorService executor) {
        return (task, delayNanos) -> {
            ScheduledFuture<?> future = executor.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
            return () -> future.cancel(false);
        };
    }
}
