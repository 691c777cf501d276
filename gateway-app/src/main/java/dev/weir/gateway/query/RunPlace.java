package dev.weir.gateway.query;

import dev.weir.admission.Admission;
import dev.weir.admission.RunPermit;
import dev.weir.engine.ArrowResult;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What one query has of admission: it waits, has a permit, and may wait again. Thread-safe.
 *
 * <p>A wait that is begun after the query has ended is cancelled at once: the end is decided before the waits that are
 * under way are cancelled, and whether it is decided is asked after a wait has begun.
 */
final class RunPlace {

    /**
     * An engine that has not stopped this long after the query ended keeps no permit any longer: others must not wait
     * for a native call that cannot be interrupted. The query stays visible as CANCELLING until it does stop.
     */
    static final Duration PERMIT_GRACE = Duration.ofSeconds(5);

    private static final Duration FIRST_BACKOFF = Duration.ofMillis(100);
    private static final Duration LAST_BACKOFF = Duration.ofSeconds(2);

    /** What it tells its query; for each wait one of the two, once. */
    interface Host {
        boolean hasEnded();

        void granted(RunPermit granted);

        void notGranted(Throwable why);
    }

    private final Host host;
    private final RunServices services;
    private volatile @Nullable Admission wait;
    private volatile @Nullable RunPermit permit;
    private volatile Timers.@Nullable Timer graceTimer;

    /** Of the next time that the engine has no place; only one attempt is under way at a time. */
    private volatile Duration backoff = FIRST_BACKOFF;

    RunPlace(Host host, RunServices services) {
        this.host = host;
        this.services = services;
    }

    /** Waits, from now on. */
    void waitFor(Admission asked) {
        wait = asked;
        if (host.hasEnded()) {
            asked.cancel();
        }
        asked.permit().whenComplete((granted, thrown) -> {
            if (granted != null) {
                permit = granted;
                host.granted(granted);
            } else {
                host.notGranted(thrown == null ? new IllegalStateException("no permit") : thrown);
            }
        });
    }

    /** Gives the permit back, and waits for another. */
    void waitAgain(Rerun rerun) {
        RunPermit held = permit;
        if (held == null) {
            return;
        }
        permit = null;
        if (rerun == Rerun.MORE_MEMORY) {
            waitFor(held.giveBackForDefault());
            return;
        }
        Duration now = backoff;
        Duration doubled = now.multipliedBy(2);
        backoff = doubled.compareTo(LAST_BACKOFF) < 0 ? doubled : LAST_BACKOFF;
        waitFor(held.giveBack(now));
    }

    /** The permit, also when it is closed; null before the grant, and while it waits again. */
    @Nullable
    RunPermit permit() {
        return permit;
    }

    /** The query has ended: it waits no more, and releases its permit before long in any case. */
    void end(Runnable release) {
        if (permit != null) {
            graceTimer = services.timers().schedule(PERMIT_GRACE, release);
        }
        Admission waiting = wait;
        if (waiting != null) {
            waiting.cancel();
        }
    }

    /**
     * Closes the permit, if there is one; once, whoever calls it and however often.
     *
     * @param result what it ran; null when it gave none
     */
    void release(QueryState last, @Nullable ArrowResult result) {
        RunPermit held = permit;
        if (held == null) {
            return;
        }
        if (result != null && last == QueryState.FINISHED) {
            result.peakMemoryBytes().ifPresent(held::measuredPeak);
        }
        held.close(
                switch (last) {
                    case FINISHED -> RunPermit.Outcome.FINISHED;
                    case CANCELLED -> RunPermit.Outcome.CANCELLED;
                    default -> RunPermit.Outcome.FAILED;
                });
    }

    void stopGrace() {
        Timers.Timer timer = graceTimer;
        if (timer != null) {
            timer.cancel();
        }
    }
}
