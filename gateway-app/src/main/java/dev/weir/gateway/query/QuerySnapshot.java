package dev.weir.gateway.query;

import dev.weir.engine.StatementKind;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A query as it stands.
 *
 * @param kind null while the text could not be classified
 * @param queued time between submit and admit, so far or in total
 * @param running time since the admit, so far or in total
 * @param rows handed to the front
 * @param bytes delivered to the client
 * @param reservedBytes the permit's reservation; 0 without one
 * @param group whose limits count
 * @param queryClass what it was taken for when it was admitted: short, unknown or heavy; before, heavy when it was
 *     declared so, else null
 * @param lane short while it has a place in the lane for short queries, all while it has one of the others; else null
 * @param admission what admission decided about it, and when
 * @param position place in the queue, from 1; null when not waiting
 * @param waitReason the name of the limit that holds it, or that it waits for its turn; null when not waiting
 * @param waitLimit the limit that holds it; null when none does, or when not waiting
 * @param predictedWait null when not waiting or not known
 * @param cancelReason null unless a cancel was asked for
 * @param cancelledIn the state in which the cancel found it; null unless cancelled
 * @param cancelling time since it was told to stop, until the engine stopped; null unless it was cancelled, or has not
 *     stopped yet
 * @param error code of a failed query; null otherwise
 * @param errorMessage the client's text of it
 * @param errorDetails what else its client was told; null otherwise
 * @param format in which its client gets the result, as {@link ResultStream#format} was told it; null when it was not
 */
public record QuerySnapshot(
        String id,
        String user,
        Front front,
        QueryState state,
        @Nullable StatementKind kind,
        long fingerprint,
        Instant submitted,
        Duration queued,
        Duration running,
        long rows,
        long batches,
        long bytes,
        long reservedBytes,
        String group,
        @Nullable String queryClass,
        @Nullable String lane,
        AdmissionTrail admission,
        @Nullable Integer position,
        @Nullable String waitReason,
        ErrorDetails.@Nullable Limit waitLimit,
        @Nullable Duration predictedWait,
        @Nullable CancelReason cancelReason,
        @Nullable QueryState cancelledIn,
        @Nullable Duration cancelling,
        @Nullable GatewayErrorCode error,
        @Nullable String errorMessage,
        @Nullable ErrorDetails errorDetails,
        Map<String, String> tags,
        @Nullable String format) {

    /** The failure of a query that failed, as its own request was told it; null otherwise. */
    public @Nullable GatewayException failure() {
        if (error == null) {
            return null;
        }
        ErrorDetails details = errorDetails == null ? ErrorDetails.NONE : errorDetails;
        return new GatewayException(error, errorMessage == null ? error.name() : errorMessage, details.withQueryId(id));
    }
}
