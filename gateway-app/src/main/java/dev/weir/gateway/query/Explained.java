package dev.weir.gateway.query;

import dev.weir.admission.Explanation;
import dev.weir.admission.QueryClass;
import dev.weir.admission.RunTimeStats;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What would happen to a query.
 *
 * @param decision what would happen
 * @param group whose limits would count
 * @param queryClass what it would be taken for; null when it would be refused before admission
 * @param learnedFrom what the class comes from; null when nothing is known, or it was declared heavy
 * @param reservedBytes memory that it would reserve
 * @param learnedReservation whether that is what its statement was measured to need
 * @param expectedTime its expected run time; null while nothing was measured
 * @param position the place it would get in the queue, from 1; null when it would not wait
 * @param waitReason the name of the limit that would hold it, or that it would wait for its turn; null likewise
 * @param limit the limit that would hold it, or refuse it; null when none does
 * @param predictedWait null when it would not wait, or while nothing was measured
 * @param refusal what its client would be told; null unless it would be refused
 */
public record Explained(
        Explanation.Decision decision,
        String group,
        @Nullable QueryClass queryClass,
        @Nullable RunTimeStats learnedFrom,
        long reservedBytes,
        boolean learnedReservation,
        @Nullable Duration expectedTime,
        @Nullable Integer position,
        @Nullable String waitReason,
        ErrorDetails.@Nullable Limit limit,
        @Nullable Duration predictedWait,
        @Nullable GatewayException refusal) {}
