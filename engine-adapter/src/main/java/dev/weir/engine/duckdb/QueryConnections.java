package dev.weir.engine.duckdb;

import dev.weir.engine.Access;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.SessionSettings;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.ZoneId;
import java.util.Set;
import org.duckdb.DuckDBConnection;

/** Makes the connection of each query: a duplicate of the engine's, with the session's settings. */
final class QueryConnections {

    /** The zone of connections whose session names none. */
    static final String DEFAULT_ZONE = "UTC";

    private final DuckDBConnection root;
    private final Set<String> zones = Set.copyOf(ZoneId.getAvailableZoneIds());

    QueryConnections(DuckDBConnection root) {
        this.root = root;
    }

    /** Opens a connection into the scope. A read begins a read-only transaction, which ends with the connection. */
    DuckDBConnection open(NativeScope scope, Access access, SessionSettings settings) throws SQLException {
        DuckDBConnection connection = scope.own(root.duplicate());
        apply(connection, settings);
        if (access == Access.READ) {
            run(connection, "BEGIN TRANSACTION READ ONLY");
        }
        return connection;
    }

    /** Opens a connection without a session into the scope. */
    DuckDBConnection plain(NativeScope scope) throws SQLException {
        return scope.own(root.duplicate());
    }

    static String zone(SessionSettings settings) {
        return settings.timeZone() == null ? DEFAULT_ZONE : settings.timeZone();
    }

    private void apply(DuckDBConnection connection, SessionSettings settings) throws SQLException {
        String zone = settings.timeZone();
        if (zone != null && !zone.equals(DEFAULT_ZONE)) {
            if (!zones.contains(zone)) {
                throw new EngineException(
                        EngineFailure.BINDING, "There is no time zone of the session's name", "22023", -1, null);
            }
            run(connection, "SET TimeZone = '" + zone + "'");
        }
        String catalog = settings.catalog();
        String schema = settings.schema();
        if (catalog == null && schema == null) {
            return;
        }
        String schemaName = DuckType.quote(schema == null ? "main" : schema);
        String name = catalog == null ? schemaName : DuckType.quote(catalog) + "." + schemaName;
        try {
            run(connection, "USE " + name);
        } catch (SQLException e) {
            throw new EngineException(
                    EngineFailure.BINDING,
                    "The session's catalog or schema " + name + " does not exist",
                    "3F000",
                    -1,
                    e);
        }
    }

    static void run(DuckDBConnection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
