package dev.weir.gateway.query;

import dev.weir.auth.Identity;
import dev.weir.engine.MetadataRequest;
import dev.weir.engine.SessionSettings;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Runs queries for the fronts: scan, access check, admission, engine, stream, end. Thread-safe; no method blocks.
 *
 * <p>Stages fail with a {@link GatewayException}, never wrapped. Their continuations may run on an engine thread.
 */
public interface QueryService {

    /**
     * Registers and starts a query. A statement that is refused is registered too, as FAILED: this method does not
     * throw, the stream's stage fails.
     */
    QueryExecution submit(Identity identity, QueryRequest request);

    /** Whether {@link #ingest} works. Constant. */
    default boolean takesIngest() {
        return false;
    }

    /**
     * Opens a bulk ingest, or joins one as another of its parts. It is a query as any other, from its schema on.
     *
     * @return where the upload goes
     * @throws GatewayException when it is refused before anything of it was read
     */
    default IngestInlet ingest(Identity identity, IngestRequest request) {
        throw new GatewayException(
                GatewayErrorCode.INVALID_REQUEST,
                "The engine of this gateway takes no bulk ingest; it does with isolation shared and no workers.");
    }

    /**
     * Describes a statement without running it, in a small lane of its own and under its own timeout. Cached per text,
     * settings and access until a statement changes the schema. A caller that does not want it any more completes the
     * stage's future with a failure, which stops the engine.
     */
    CompletionStage<Description> describe(Identity identity, String sql, SessionSettings settings);

    /** Answers a question about the catalog, outside the queue. The stream must be closed. */
    CompletionStage<ResultStream> metadata(Identity identity, MetadataRequest request);

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
