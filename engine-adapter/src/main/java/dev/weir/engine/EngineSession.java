package dev.weir.engine;

import java.util.concurrent.CompletionStage;

/**
 * One connection of an engine that outlives its statements, because it holds a transaction or temporary objects.
 *
 * <p>Thread-safe; no method blocks. One statement at a time: another one, or the end of the transaction, while a result is
 * open fails with CONFLICT and changes nothing. A statement that is cancelled leaves the session usable; inside a
 * transaction DuckDB then takes nothing but its rollback.
 */
public interface EngineSession extends StatementRunner, AutoCloseable {

    /**
     * Begins a transaction; CONFLICT when there is one.
     *
     * @param readOnly whether the engine refuses changes in it
     */
    EngineCall<Void> begin(boolean readOnly);

    /** Commits; CONFLICT without a transaction. A transaction that cannot be committed is rolled back and fails. */
    EngineCall<Void> commit();

    /** Undoes the transaction; CONFLICT without one. */
    EngineCall<Void> rollback();

    /** Whether a transaction was begun and not ended. */
    boolean inTransaction();

    /** Whether the connection owns temporary tables, views, macros, sequences or types. */
    boolean hasTemporaryObjects();

    /** Completes, never exceptionally, when the connection is closed and its memory given back. */
    CompletionStage<Void> closed();

    /** Cancels what runs, rolls back and closes in the background; returns at once. Idempotent. */
    @Override
    void close();
}
