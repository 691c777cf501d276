package dev.weir.engine.duckdb;

import com.google.errorprone.annotations.concurrent.GuardedBy;
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

    @GuardedBy("this")
    private long inForce;

    MemoryShare(DuckDBConnection database, DuckDbSettings settings) {
        this.database = database;
        this.settings = settings;
        this.inForce = settings.memoryLimitBytes();
    }

    /** Makes the limit what the query was promised, before it runs; short queries and the nameless have all of it. */
    void fit(QueryContext query) throws SQLException {
        if (!settings.memoryFollowsQuery()) {
            return;
        }
        boolean own = !query.shortQuery() && query.memoryBytes() > 0;
        long bytes = own ? Math.min(query.memoryBytes(), settings.memoryLimitBytes()) : settings.memoryLimitBytes();
        synchronized (this) {
            if (bytes != inForce) {
                QueryConnections.run(database, "SET memory_limit = '" + bytes + "B'");
                inForce = bytes;
            }
        }
    }
}
