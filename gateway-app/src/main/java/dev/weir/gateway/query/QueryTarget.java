package dev.weir.gateway.query;

import dev.weir.auth.Identity;
import dev.weir.engine.MetadataRequest;
import dev.weir.engine.SessionSettings;
import java.util.concurrent.CompletionStage;

/** What statements are given to: the service, where each stands alone, or one of its sessions. */
public interface QueryTarget {

    /**
     * Registers and starts a query. A statement that is refused is registered too, as FAILED: this method does not
     * throw, the stream's stage fails.
     *
     * @throws GatewayException NOT_FOUND from a session that is another user's, or closed
     */
    QueryExecution submit(Identity identity, QueryRequest request);

    /**
     * Describes a statement without running it, in a small lane of its own and under its own timeout. Cached per text,
     * settings and access until a statement changes the schema. A caller that does not want it any more completes the
     * stage's future with a failure, which stops the engine.
     */
    CompletionStage<Description> describe(Identity identity, String sql, SessionSettings settings);

    /**
     * Answers a question about the catalog, in a small lane of its own; a session with what is its own: temporary
     * objects, and what its transaction has changed, unless it is busy with a result or does not know.
     *
     * @throws GatewayException NOT_FOUND from a session that is another user's, or closed
     */
    CompletionStage<ResultStream> metadata(Identity identity, MetadataRequest request);

    /**
     * Opens a bulk ingest, or joins one as another of its parts. It is a query as any other, from its schema on; in a
     * session's transaction its rows are committed with that.
     *
     * @return where the upload goes
     * @throws GatewayException when it is refused before anything of it was read
     */
    default IngestInlet ingest(Identity identity, IngestRequest request) {
        throw new GatewayException(
                GatewayErrorCode.INVALID_REQUEST,
                "The engine of this gateway takes no bulk ingest: with isolation=process its database is read-only.");
    }
}
