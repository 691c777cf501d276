package dev.weir.gateway.cli.query;

import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A way to run one query on a gateway. Thread-safe: {@link #cancel} is for a shutdown hook, while another thread reads the
 * result.
 */
public interface QueryClient extends AutoCloseable {

    /**
     * What to run.
     *
     * @param sql one statement
     * @param parameters positional; JSON values
     * @param accept media type of the result
     * @param timeout less than the gateway's statement timeout, or null for that
     */
    record Query(
            String sql,
            List<JsonNode> parameters,
            String accept,
            @Nullable Duration timeout) {}

    /**
     * Runs a query and waits until its result begins.
     *
     * @return the result; closing it before its end cancels the query
     * @throws QueryFailure when the gateway refuses or cannot be reached
     */
    InputStream run(Query query) throws QueryFailure, InterruptedException;

    /**
     * Why a result broke off.
     *
     * @return code and message; null when the gateway cannot tell
     */
    @Nullable
    String reasonOfFailure() throws InterruptedException;

    /** Asks the gateway to stop the query, if it is known; waits a short while at most. */
    void cancel();

    /** Gives back what the client holds; the result was closed before. */
    @Override
    default void close() {}
}
