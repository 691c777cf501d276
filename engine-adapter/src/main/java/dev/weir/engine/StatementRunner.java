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
}
