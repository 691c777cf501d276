package dev.weir.gateway.query;

import java.time.Duration;

/** Time for the query service: a monotonic clock and timers on it. Injected, so that tests drive time. */
public interface Timers {

    /** Nanoseconds of a monotonic clock; only differences mean something. */
    long nanoTime();

    /** Runs a short, non-blocking task once after a delay, unless cancelled before. */
    Timer schedule(Duration delay, Runnable task);

    /** A scheduled task. */
    interface Timer {
        /** Idempotent; a task that runs already goes on. */
        void cancel();
    }
}
