package dev.weir.engine.duckdb;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Two threads that stop and free what nobody waits for. */
final class Reaper {

    private static final int FIRST_REPEAT_MILLIS = 5;
    private static final int LAST_REPEAT_MILLIS = 250;

    private final ScheduledThreadPoolExecutor threads;
    private final AtomicInteger unstopped = new AtomicInteger();
    private final AtomicInteger numbers = new AtomicInteger();

    Reaper() {
        threads = new ScheduledThreadPoolExecutor(2, body -> {
            Thread thread = new Thread(body, "weir-duckdb-reaper-" + numbers.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
        threads.setRemoveOnCancelPolicy(true);
        threads.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /** Calls that were ended and whose thread is still inside native code. */
    int unstopped() {
        return unstopped.get();
    }

    /** Runs at once in the background; on the caller's thread when the reaper is closed already. */
    void run(Runnable task) {
        try {
            threads.execute(task);
        } catch (RejectedExecutionException e) {
            task.run();
        }
    }

    /** Runs after a delay; never when the reaper is closed before. */
    void later(Runnable task, long millis) {
        try {
            threads.schedule(task, millis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            task.run();
        }
    }

    /** @param patienceMillis how long to wait before the first interrupt */
    void interruptUntilStopped(NativeScope scope, int patienceMillis) {
        unstopped.incrementAndGet();
        scope.idle().whenComplete((nothing, none) -> unstopped.decrementAndGet());
        Runnable interrupt = () -> repeat(scope, FIRST_REPEAT_MILLIS);
        if (patienceMillis == 0) {
            run(interrupt);
        } else {
            later(interrupt, patienceMillis);
        }
    }

    private void repeat(NativeScope scope, int delayMillis) {
        if (scope.idle().isDone()) {
            return;
        }
        scope.interrupt();
        if (!threads.isShutdown()) {
            later(() -> repeat(scope, Math.min(LAST_REPEAT_MILLIS, delayMillis * 2)), delayMillis);
        }
    }

    boolean isClosed() {
        return threads.isShutdown();
    }

    void close() {
        threads.shutdown();
    }
}
