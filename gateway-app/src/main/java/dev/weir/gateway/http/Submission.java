package dev.weir.gateway.http;

import dev.weir.gateway.query.QueryRequest;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A request to run a statement, as read from body and headers.
 *
 * @param request for the query service
 * @param waitTime how long the client waits for the first bytes before the query turns asynchronous; zero for at once, null
 *     for as long as it takes
 * @param rowLimit most rows of the answer; {@link Long#MAX_VALUE} for all
 * @param partitions over how many calls the result is read; more than 1 excludes a row limit
 */
record Submission(QueryRequest request, @Nullable Duration waitTime, long rowLimit, int partitions) {}
