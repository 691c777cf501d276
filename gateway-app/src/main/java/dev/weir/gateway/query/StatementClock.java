package dev.weir.gateway.query;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The statement timeout of one query: runs from a grant, also while the query waits once more after that. Thread-safe. */
final class StatementClock {

    private final Timers timers;
    private final Duration timeout;
    private final Consumer<Duration> onTimeout;

    @GuardedBy("this")
    private Timers.@Nullable Timer timer;

    @GuardedBy("this")
    private long startedNanos;

    @GuardedBy("this")
    private boolean stopped;

    /**
     * @param onTimeout told what was allowed
     */
    StatementClock(Timers timers, Duration timeout, Consumer<Duration> onTimeout) {
        this.timers = timers;
        this.timeout = timeout;
        this.onTimeout = onTimeout;
    }

    /**
     * Starts it unless it runs.
     *
     * @return what is left, at least a millisecond
     */
    synchronized Duration start() {
        if (timer == null && !stopped) {
            startedNanos = timers.nanoTime();
            timer = timers.schedule(timeout, () -> onTimeout.accept(timeout));
        }
        Duration left = timer == null ? timeout : timeout.minusNanos(timers.nanoTime() - startedNanos);
        return left.compareTo(Duration.ofMillis(1)) < 0 ? Duration.ofMillis(1) : left;
    }

    /** Nothing ran: the next start has the whole time. */
    synchronized void reset() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }

    /** For good. */
    synchronized void stop() {
        stopped = true;
        reset();
    }
}
