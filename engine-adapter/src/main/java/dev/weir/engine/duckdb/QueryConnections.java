package dev.weir.engine.duckdb;

import dev.weir.engine.Access;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.SessionSettings;
import dev.weir.engine.SessionStatement;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.ZoneId;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.duckdb.DuckDBConnection;
import org.jspecify.annotations.Nullable;

/** Makes the connection of each query: a duplicate of the engine's, with the session's settings. */
final class QueryConnections implements ConnectionSource {

    static final String READ_ONLY = "BEGIN TRANSACTION READ ONLY";

    /** The zone of connections whose session names none. */
    static final String DEFAULT_ZONE = "UTC";

    private final DuckDBConnection root;
    private final Map<String, String> zones = ZoneId.getAvailableZoneIds().stream()
            .collect(Collectors.toUnmodifiableMap(zone -> zone.toLowerCase(Locale.ROOT), zone -> zone, (a, b) -> a));
    private volatile @Nullable String defaultCatalog;

    QueryConnections(DuckDBConnection root) {
        this.root = root;
    }

    /** Opens a fresh connection. A read begins a read-only transaction, which ends with the connection. */
    @Override
    public DuckDBConnection open(NativeScope scope, EngineQuery query, boolean runs) throws SQLException {
        DuckDBConnection connection = scope.own(root.duplicate());
        begin(connection, query);
        return connection;
    }

    /** Opens such a connection for reading, which the caller closes. */
    DuckDBConnection beside(EngineQuery query) throws SQLException {
        DuckDBConnection connection = (DuckDBConnection) root.duplicate();
        try {
            apply(connection, SessionSettings.NONE, query.settings());
            run(connection, READ_ONLY);
            return connection;
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    private void begin(DuckDBConnection connection, EngineQuery query) throws SQLException {
        apply(connection, SessionSettings.NONE, query.settings());
        if (query.access() == Access.READ) {
            run(connection, READ_ONLY);
        }
    }

    @Override
    public boolean inTransaction(EngineQuery query) {
        return query.access() == Access.READ;
    }

    @Override
    public boolean isClientsTransaction() {
        return false;
    }

    @Override
    public void beginOwn(DuckDBConnection connection) throws SQLException {
        run(connection, "BEGIN TRANSACTION");
    }

    @Override
    public void commitOwn(DuckDBConnection connection) throws SQLException {
        run(connection, "COMMIT");
    }

    /** Opens a connection without a session into the scope. */
    DuckDBConnection plain(NativeScope scope) throws SQLException {
        return scope.own(root.duplicate());
    }

    static String zone(SessionSettings settings) {
        return settings.timeZone() == null ? DEFAULT_ZONE : settings.timeZone();
    }

    /**
     * Gives a connection other settings.
     *
     * @param from what it has
     */
    void apply(DuckDBConnection connection, SessionSettings from, SessionSettings to) throws SQLException {
        if (!zone(from).equals(zone(to))) {
            run(connection, "SET TimeZone = '" + knownZone(zone(to)) + "'");
        }
        String catalog = to.catalog();
        String schema = to.schema();
        if (Objects.equals(catalog, from.catalog()) && Objects.equals(schema, from.schema())) {
            return;
        }
        boolean moved = from.catalog() != null || from.schema() != null;
        String schemaName = DuckType.quote(schema == null ? "main" : schema);
        String catalogName = catalog == null && moved ? defaultCatalog() : catalog;
        String name = catalogName == null ? schemaName : DuckType.quote(catalogName) + "." + schemaName;
        try {
            run(connection, "USE " + name);
        } catch (SQLException e) {
            throw unknownPlace(name, e);
        }
    }

    /**
     * Runs a setting on a connection.
     *
     * @param before what the connection has
     * @return what it has then; a place by its catalog and its schema
     */
    SessionSettings set(DuckDBConnection connection, SessionSettings before, SessionStatement.Setting setting)
            throws SQLException {
        List<String> value = setting.value();
        if (setting.name() == SessionStatement.Setting.Name.TIME_ZONE) {
            String zone = value.isEmpty() ? null : knownZone(value.get(0));
            SessionSettings after = new SessionSettings(before.catalog(), before.schema(), zone);
            apply(connection, before, after);
            return after;
        }
        if (value.isEmpty()) {
            SessionSettings after = new SessionSettings(null, null, before.timeZone());
            apply(connection, before, after);
            return after;
        }
        String name = value.stream().map(DuckType::quote).collect(Collectors.joining("."));
        try {
            run(connection, "USE " + name);
        } catch (SQLException e) {
            throw unknownPlace(name, e);
        }
        try (Statement statement = connection.createStatement();
                ResultSet place = statement.executeQuery("SELECT current_database(), current_schema()")) {
            place.next();
            return new SessionSettings(place.getString(1), place.getString(2), before.timeZone());
        }
    }

    private static EngineException unknownPlace(String name, SQLException e) {
        EngineException translated = ErrorTranslator.translate(e, null);
        return translated.failure() == EngineFailure.CONFLICT
                ? translated
                : new EngineException(
                        EngineFailure.BINDING,
                        "The session's catalog or schema " + name + " does not exist",
                        "3F000",
                        -1,
                        e);
    }

    private String knownZone(String zone) {
        String known = zones.get(zone.toLowerCase(Locale.ROOT));
        if (known == null) {
            throw new EngineException(
                    EngineFailure.BINDING, "There is no time zone of the session's name", "22023", -1, null);
        }
        return known;
    }

    private String defaultCatalog() throws SQLException {
        String known = defaultCatalog;
        if (known == null) {
            try (Connection fresh = root.duplicate();
                    Statement statement = fresh.createStatement();
                    ResultSet name = statement.executeQuery("SELECT current_database()")) {
                name.next();
                known = name.getString(1);
                defaultCatalog = known;
            }
        }
        return known;
    }

    /** A connection of a session. */
    DuckDBConnection pinned() throws SQLException {
        return (DuckDBConnection) root.duplicate();
    }

    static void run(DuckDBConnection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
