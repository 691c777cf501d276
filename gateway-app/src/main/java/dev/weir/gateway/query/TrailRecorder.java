package dev.weir.gateway.query;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.gateway.query.AdmissionTrail.Decision;
import dev.weir.gateway.query.AdmissionTrail.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes down what admission decides about one query, in bounded memory. Thread-safe.
 *
 * <p>Different threads tell of different decisions, so a pause or an overrun can be told after the release that
 * followed it. It is still counted; the list ends with the release.
 */
final class TrailRecorder {

    private final long submittedNanos;

    /** Immutable; replaced as a whole, since there are few. */
    @GuardedBy("this")
    private List<Step> steps = List.of();

    @GuardedBy("this")
    private int pauses;

    @GuardedBy("this")
    private int resumes;

    @GuardedBy("this")
    private int returns;

    @GuardedBy("this")
    private long pausedNanos;

    /** When the pause under way began; null while it has its slot. */
    @GuardedBy("this")
    private @Nullable Long pausedSince;

    @GuardedBy("this")
    private boolean overran;

    @GuardedBy("this")
    private boolean outOfLane;

    @GuardedBy("this")
    private boolean released;

    TrailRecorder(long submittedNanos) {
        this.submittedNanos = submittedNanos;
    }

    /** Adds a decision of this moment. */
    synchronized Step add(Decision decision, long now, @Nullable String place, @Nullable String why) {
        Step step = new Step(decision, Duration.ofNanos(Math.max(0, now - submittedNanos)), place, why);
        boolean listed = !released;
        switch (decision) {
            case OVERRAN -> {
                overran = true;
                outOfLane = true;
            }
            case PAUSED -> {
                pauses++;
                listed &= pauses <= AdmissionTrail.LISTED_PAUSES;
                pausedSince = released ? null : Long.valueOf(now);
            }
            case RESUMED -> {
                resumes++;
                listed &= resumes <= AdmissionTrail.LISTED_PAUSES;
                endPause(now);
            }
            case RELEASED -> {
                endPause(now);
                released = true;
            }
            case RETURNED -> {
                returns++;
                outOfLane = false;
                listed &= returns <= AdmissionTrail.LISTED_PAUSES;
                endPause(now);
            }
            // A grant that follows a return which is not listed is not listed either.
            case GRANTED -> listed &= returns <= AdmissionTrail.LISTED_PAUSES;
            case QUEUED, REJECTED, CANCELLED -> {}
        }
        if (listed) {
            List<Step> more = new ArrayList<>(steps);
            more.add(step);
            steps = List.copyOf(more);
        }
        return step;
    }

    @GuardedBy("this")
    private void endPause(long now) {
        Long since = pausedSince;
        if (since != null) {
            pausedNanos += now - since;
            pausedSince = null;
        }
    }

    /** Whether it left the lane since its last grant. */
    synchronized boolean hasOverrun() {
        return outOfLane;
    }

    /** What was decided until now. */
    synchronized AdmissionTrail trail(long now) {
        Long since = pausedSince;
        long paused = pausedNanos + (since == null ? 0 : Math.max(0, now - since));
        return new AdmissionTrail(steps, pauses, Duration.ofNanos(paused), overran);
    }
}
