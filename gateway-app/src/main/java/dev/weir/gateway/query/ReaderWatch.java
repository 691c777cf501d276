package dev.weir.gateway.query;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.admission.RunPermit;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Watches the reader of one result: lends the query's slot while the reader pauses, takes it again when the reader goes
 * on, and ends a query whose reader has stalled. Thread-safe.
 *
 * <p>One timer, armed anew for the rest of the time whenever the reader made progress meanwhile. Whether the reader
 * pauses is asked under this object's lock, and {@link #pulled} comes after the stream has noted the pull: so either the
 * pull is seen and the slot is kept, or the pull finds the slot lent.
 */
final class ReaderWatch {

    /** A reader that makes its query wait this long lends the slot: longer than a hiccup, well before a stall. */
    static final Duration PAUSE_AFTER = Duration.ofSeconds(2);

    /** What it tells its query. */
    interface Host {
        boolean hasEnded();

        void paused();

        void resumed();

        void stalled(Duration allowed);
    }

    private final Host host;
    private final Timers timers;
    private final RunStream stream;
    private final RunPermit permit;
    private final Duration allowed;

    @GuardedBy("this")
    private boolean paused;

    @GuardedBy("this")
    private Timers.@Nullable Timer timer;

    ReaderWatch(Host host, Timers timers, RunStream stream, RunPermit permit, Duration allowed) {
        this.host = host;
        this.timers = timers;
        this.stream = stream;
        this.permit = permit;
        this.allowed = allowed;
    }

    void start() {
        synchronized (this) {
            arm(Math.min(PAUSE_AFTER.toNanos(), allowed.toNanos()));
        }
    }

    synchronized void stop() {
        if (timer != null) {
            timer.cancel();
        }
    }

    @GuardedBy("this")
    private void arm(long nanos) {
        if (timer != null) {
            timer.cancel();
        }
        timer = timers.schedule(Duration.ofNanos(nanos), this::check);
        if (host.hasEnded()) {
            timer.cancel();
        }
    }

    private void check() {
        synchronized (this) {
            if (host.hasEnded()) {
                return;
            }
            long idle = stream.readerIdleNanos(timers.nanoTime());
            long left = allowed.toNanos() - idle;
            if (left > 0) {
                boolean lent = paused || (idle >= PAUSE_AFTER.toNanos() && lend());
                long untilPause = idle >= PAUSE_AFTER.toNanos() ? PAUSE_AFTER.toNanos() : PAUSE_AFTER.toNanos() - idle;
                arm(lent ? left : Math.min(left, untilPause));
                return;
            }
        }
        host.stalled(allowed);
    }

    @GuardedBy("this")
    private boolean lend() {
        paused = permit.pause();
        if (paused) {
            host.paused();
        }
        return paused;
    }

    /**
     * The reader wants the next batch.
     *
     * @return null when the query has its slot; else a stage that completes when it has it again, and fails when the
     *     query ends first
     */
    @Nullable
    CompletionStage<Void> pulled() {
        synchronized (this) {
            if (!paused) {
                return null;
            }
        }
        return permit.resume().thenRun(this::resumed);
    }

    private void resumed() {
        synchronized (this) {
            paused = false;
            arm(Math.min(PAUSE_AFTER.toNanos(), allowed.toNanos()));
        }
        host.resumed();
    }
}
