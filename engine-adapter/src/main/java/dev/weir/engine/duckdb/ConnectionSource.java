package dev.weir.engine.duckdb;

import dev.weir.engine.EngineQuery;
import java.sql.SQLException;
import org.duckdb.DuckDBConnection;

/** Where statements get their connection from: each a fresh one, or all of a session the same. */
interface ConnectionSource {

    /**
     * Opens or lends a connection into the scope, with the query's settings, on the thread inside.
     *
     * @param runs whether the statement will be run, and not only be described
     */
    DuckDBConnection open(NativeScope scope, EngineQuery query, boolean runs) throws SQLException;

    /** Whether the connection that was opened last is in a transaction that the statement must not end. */
    boolean inTransaction(EngineQuery query);

    /** Whether that transaction is the client's, so that nothing may be tried out in it. */
    boolean isClientsTransaction();

    /** Begins a transaction for a call of several statements; without {@link #commitOwn} it is undone when the call ends. */
    void beginOwn(DuckDBConnection connection) throws SQLException;

    /** Commits it. */
    void commitOwn(DuckDBConnection connection) throws SQLException;
}
