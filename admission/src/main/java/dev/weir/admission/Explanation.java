package dev.weir.admission;

import java.time.Duration;
import java.util.Optional;

/**
 * What would happen to a query if it were submitted now.
 *
 * @param decision what would happen
 * @param group whose limits would count
 * @param queryClass what it would be taken for
 * @param learnedFrom what the class was derived from; empty when nothing is known, or the query was declared heavy
 * @param reservedBytes its reservation
 * @param learnedReservation whether that is what its statement was measured to need
 * @param expectedTime its expected run time; empty while nothing was measured
 * @param waiting how it would wait; only with WAIT
 * @param rejection why it would be refused; only with REFUSE
 */
public record Explanation(
        Decision decision,
        String group,
        QueryClass queryClass,
        Optional<RunTimeStats> learnedFrom,
        long reservedBytes,
        boolean learnedReservation,
        Optional<Duration> expectedTime,
        Optional<WaitInfo> waiting,
        Optional<Rejection> rejection) {

    /** What would happen. */
    public enum Decision {
        /** It would run at once, in the slots for all. */
        RUN,
        /** It would run at once, in the lane for short queries. */
        RUN_SHORT,
        WAIT,
        REFUSE
    }
}
