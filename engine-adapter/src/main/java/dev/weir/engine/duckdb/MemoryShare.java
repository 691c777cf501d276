package dev.weir.engine.duckdb;

import dev.weir.engine.QueryContext;
import java.sql.SQLException;
import org.duckdb.DuckDBConnection;

/**
 * DuckDB's memory_limit where it follows the query that runs. The limit is the whole instance's: this is for an instance
 * that runs one query at a time. Thread-safe.
 */
final class MemoryShare {

    private final DuckDBConnection database;
    private final DuckDbSettings settings;

    MemoryShare(DuckDBConnection database, DuckDbSettings settings) {
        this.database = database;
        this.settings = settings;
    }

    /**
     * Makes the limit what the query was promised, before it runs; short queries and the nameless have all of it. It is
     * set each time, whatever it is believed to be: an administrator's PRAGMA may have changed it.
     */
    synchronized void fit(QueryContext query) throws SQLException {
        if (!settings.memoryFollowsQuery()) {
            return;
        }
        boolean own = !query.shortQuery() && query.memoryBytes() > 0;
        long bytes = own ? Math.min(query.memoryBytes(), settings.memoryLimitBytes()) : settings.memoryLimitBytes();
        QueryConnections.run(database, "SET memory_limit = '" + bytes + "B'");
    }
}
