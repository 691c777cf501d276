package dev.weir.gateway.query;

import dev.weir.auth.Identity;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Runs queries for the fronts: scan, access check, admission, engine, stream, end. Thread-safe; no method blocks.
 *
 * <p>Stages fail with a {@link GatewayException}, never wrapped. Their continuations may run on an engine thread.
 */
public interface QueryService extends QueryTarget {

    /**
     * Opens a session of this user; it lasts until it is closed.
     *
     * @throws GatewayException USER_LIMIT when the user has as many as allowed
     */
    QuerySession openSession(Identity identity);

    /** Whether {@link #ingest} works. Constant. */
    default boolean takesIngest() {
        return false;
    }

    /** Whether a text is a statement that is refused without a session. False for one that cannot be scanned. */
    boolean needsSession(String sql);

    /** A query that the identity may see (its own; any for an admin), running or recently done. */
    Optional<QuerySnapshot> find(Identity identity, String queryId);

    /** The queries that the identity may see, newest first: all that are not done, and recent ones that are. */
    List<QuerySnapshot> list(Identity identity);

    /**
     * Cancels a query that the identity may see; idempotent.
     *
     * @return its snapshot after the request; empty when there is no such query for this identity
     */
    Optional<QuerySnapshot> cancel(Identity identity, String queryId);

    /** What admission tells, and its limits. */
    AdmissionView admission();

    /** Whether the engine answers and the service takes queries. */
    CompletionStage<Boolean> ready();
}
