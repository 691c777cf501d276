package dev.weir.gateway.query;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a failure tells beyond its code and message; every part may be null.
 *
 * @param queryId the query, once it was registered
 * @param sqlState the engine's, where closer than the code's
 * @param sqlPosition 0-based character offset of a fault in the statement
 * @param limit the limit that was hit
 * @param retryAfter when trying again makes sense
 * @param predictedWait how long the query would have waited; null where that is not known
 * @param position place in the queue, from 1
 * @param retryable overrides the code's own value (a write-write CONFLICT may be tried again)
 * @param errorId of an INTERNAL error, to find it in the log
 */
public record ErrorDetails(
        @Nullable String queryId,
        @Nullable String sqlState,
        @Nullable Integer sqlPosition,
        @Nullable Limit limit,
        @Nullable Duration retryAfter,
        @Nullable Duration predictedWait,
        @Nullable Integer position,
        @Nullable Boolean retryable,
        @Nullable String errorId) {

    public static final ErrorDetails NONE = new ErrorDetails(null, null, null, null, null, null, null, null, null);

    /**
     * A limit that was hit.
     *
     * @param scope global, group, user or query
     * @param name the property's name without its prefix, for example {@code max-queued}
     * @param value its value, with unit
     */
    public record Limit(String scope, String name, String value) {}

    /** Only a limit. */
    public static ErrorDetails ofLimit(String scope, String name, String value) {
        return new ErrorDetails(null, null, null, new Limit(scope, name, value), null, null, null, null, null);
    }

    public ErrorDetails withQueryId(String id) {
        return new ErrorDetails(
                id, sqlState, sqlPosition, limit, retryAfter, predictedWait, position, retryable, errorId);
    }
}
