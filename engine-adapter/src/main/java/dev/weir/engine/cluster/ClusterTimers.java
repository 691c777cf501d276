package dev.weir.engine.cluster;

import java.time.Duration;

/** Time, as the workers' health sees it. */
interface ClusterTimers extends AutoCloseable {

    /** Monotonic, in nanoseconds. */
    long nanoTime();

    /** Runs a short task later; gives what takes it back. After {@link #close()} nothing is run. */
    Runnable schedule(Duration delay, Runnable task);

    @Override
    void close();
}
