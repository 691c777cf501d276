package dev.weir.engine.process;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;

/** The threads for timeouts, and for the short work that follows one. */
final class Timers {

    private Timers() {}

    static ScheduledExecutorService create() {
        ScheduledThreadPoolExecutor timers = new ScheduledThreadPoolExecutor(2, task -> {
            Thread thread = new Thread(task, "weir-process-timer");
            thread.setDaemon(true);
            return thread;
        });
        // After the end nothing is waited for any more, and nobody needs to be told.
        timers.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
        timers.setRemoveOnCancelPolicy(true);
        timers.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        return timers;
    }
}
