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
 * @param position place in the queue, from 1; null when not waiting
 * @param waitReason the limit that holds it; null when not waiting
 * @param predictedWait null when not waiting or not known
 * @param cancelReason null unless a cancel was asked for
 * @param cancelling time since the cancel was asked for, until the engine stopped; null unless cancelled
 * @param error code of a failed query; null otherwise
 * @param errorMessage the client's text of it
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
        @Nullable Integer position,
        @Nullable String waitReason,
        @Nullable Duration predictedWait,
        @Nullable CancelReason cancelReason,
        @Nullable Duration cancelling,
        @Nullable GatewayErrorCode error,
        @Nullable String errorMessage,
        Map<String, String> tags) {}
