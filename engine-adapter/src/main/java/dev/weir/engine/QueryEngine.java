package dev.weir.engine;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * Runs statements and streams their results as Arrow.
 *
 * <p>Thread-safe. No method blocks: native work happens on threads that the engine owns (their stacks are large enough
 * for hostile nesting), so fronts may call from event loops and gRPC threads. Continuations of the returned stages run
 * on engine threads too; they must not block for longer than it takes to encode one batch.
 *
 * <p>An engine does not queue and does not ration: who may run, and when, is decided before it is called.
 */
public interface QueryEngine extends StatementRunner, AutoCloseable {

    /** Name and version, for {@code SqlInfo} and logs. Never null, constant. */
    EngineInfo info();

    /**
     * Classifies a text lexically, in linear time and without any native call.
     *
     * @param sql the statement as the client sent it; one trailing semicolon is fine
     * @return its kind and the access it needs
     * @throws EngineException INVALID_SQL for empty text or several statements, TOO_LARGE for text, nesting or joins
     *     beyond the scan's limits, FORBIDDEN for a kind that no role may run
     */
    StatementScan scan(String sql);

    /**
     * Answers catalogs, schemas, tables and keys from the engine's own catalog, in the columns that the Flight SQL
     * specification names. Internal catalogs and schemas are left out.
     */
    EngineCall<ArrowResult> metadata(MetadataRequest request);

    /** Runs a trivial real query; completes exceptionally with UNAVAILABLE when the engine cannot answer. */
    EngineCall<Void> check();

    /**
     * A session of its own. It takes a connection with its first statement or transaction; each statement brings its
     * settings.
     *
     * <p>An engine without connections that last gives one whose transactions are a form only: its reads see no common
     * snapshot, and what would need a real one (changes inside it, temporary objects) is refused with UNSUPPORTED.
     *
     * @param access what the session may do at most
     */
    default EngineSession openSession(Access access) {
        return new StatelessSession(this, access);
    }

    /** Whether {@link #ingest} works. Constant. */
    default boolean takesIngest() {
        return false;
    }

    /** Whether a transaction of a session is a real one, with one snapshot for all its reads. Constant. */
    default boolean hasTransactions() {
        return false;
    }

    /** Live figures for metrics: cheap, never null. */
    EngineStats stats();

    /**
     * What the engine holds in memory and temporary files; UNKNOWN from one that is elsewhere. Never fails. Takes an engine
     * thread for a moment, so it is for every few seconds.
     */
    default CompletionStage<EngineMemory> memory() {
        return CompletableFuture.completedFuture(EngineMemory.UNKNOWN);
    }

    /** What the engine can carry now; cheap. */
    default EngineCapacity capacity() {
        return EngineCapacity.UNBOUNDED;
    }

    /**
     * Tells a listener when {@link #capacity()} changes, on any thread; it must not block. One listener, set once.
     */
    default void onCapacity(Consumer<EngineCapacity> listener) {}

    /** The processes that run this engine's queries, in a stable order; empty when that is the gateway's own. */
    default List<EngineNode> nodes() {
        return List.of();
    }

    /** Cancels what runs, waits a bounded time (5 s) for it to stop, then closes. Idempotent. */
    @Override
    void close();
}
