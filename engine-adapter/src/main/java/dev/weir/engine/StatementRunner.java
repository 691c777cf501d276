package dev.weir.engine;

/** Describes and runs statements: an engine, each on a connection of its own, or one session of an engine. */
public interface StatementRunner {

    /**
     * Finds result schema and parameters without running the statement. DuckDB folds constants here, so this can take
     * as long as a query: callers bound it and cancel.
     */
    EngineCall<StatementDescription> describe(EngineQuery query);

    /** Starts a statement. The stage completes when the result's schema is known and before any batch is read. */
    EngineCall<ArrowResult> execute(EngineQuery query);

    /**
     * Loads rows into a table: all of them in one transaction, or none.
     *
     * <p>The stage completes when they are committed, with a result without columns whose update count is the number of
     * rows; inside a session's transaction they are committed with that. What is in the feed is not trusted. The engine
     * stops reading it when the call fails or is cancelled; closing it is up to its owner, once {@link
     * EngineCall#stopped()} or the result's own stage is complete.
     *
     * @throws EngineException UNSUPPORTED when this takes no bulk ingest
     */
    default EngineCall<ArrowResult> ingest(EngineIngest ingest, IngestFeed feed) {
        throw new EngineException(
                EngineFailure.UNSUPPORTED, "The engine of this gateway takes no bulk ingest", "0A000", -1, null);
    }
}
