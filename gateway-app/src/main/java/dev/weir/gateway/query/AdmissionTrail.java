package dev.weir.gateway.query;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What admission decided about one query, so far or in all.
 *
 * @param steps in the order in which they were told: the first {@link #LISTED_PAUSES} pauses and as many resumes, as
 *     many returns with the grants after them, and every other decision; at most 40 or so
 * @param pauses how often it lent its slot while its reader paused
 * @param paused how long it was without a slot because of that, waits to have it back included
 * @param overran whether it took too long for the lane for short queries and counts among all since
 */
public record AdmissionTrail(List<Step> steps, int pauses, Duration paused, boolean overran) {

    /** Pauses of one query, and returns, that are listed; pauses after those are only counted. */
    public static final int LISTED_PAUSES = 8;

    /** Of a query that never came to admission. */
    public static final AdmissionTrail NONE = new AdmissionTrail(List.of(), 0, Duration.ZERO, false);

    public AdmissionTrail {
        steps = List.copyOf(steps);
    }

    /**
     * One decision.
     *
     * @param at time since the submit
     * @param place of a grant: short in the lane for short queries, all elsewhere; else null
     * @param why of a grant: why there; of a refusal: the name of the limit; else null
     */
    public record Step(
            Decision decision,
            Duration at,
            @Nullable String place,
            @Nullable String why) {}

    /** What can be decided. */
    public enum Decision {
        /** It has to wait. */
        QUEUED,
        /** It has a permit. */
        GRANTED,
        /** It left the lane for short queries. */
        OVERRAN,
        /** It lent its slot. */
        PAUSED,
        /** It has a slot again. */
        RESUMED,
        /** Slot and reservation are given back. */
        RELEASED,
        /** The engine did not run it, or with too little memory; it waits again. */
        RETURNED,
        /** It was refused, at once or after a wait. */
        REJECTED,
        /** It was given up before it had a permit. */
        CANCELLED;

        /** For metrics and log lines. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
