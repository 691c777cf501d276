package dev.weir.engine.duckdb;

import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.EngineIngest;
import dev.weir.engine.IngestTarget;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.duckdb.DuckDBConnection;

/** The table of an ingest: its whole name, and how its columns go with those of the stream. */
final class IngestTable {

    private static final Pattern CAST = Pattern.compile("(?s)Unimplemented type for cast \\((.*) -> (.*)\\)");
    private static final int MAX_NAME = 100_000;

    /** A column of the stream, with its type there and in the table. */
    private record Column(String name, String given, String wanted) {}

    private final String catalog;
    private final String schema;
    private final String name;
    private final boolean temporary;
    /** By lower-case name; empty for a table that the ingest makes. */
    private final Map<String, Column> columns = new LinkedHashMap<>();

    private boolean created;

    private IngestTable(String catalog, String schema, String name, boolean temporary) {
        this.temporary = temporary;
        this.catalog = catalog;
        this.schema = schema;
        this.name = name;
    }

    static void check(IngestTarget target) {
        name("table", target.table());
        if (target.catalog() != null) {
            name("catalog", target.catalog());
        }
        if (target.schema() != null) {
            name("schema", target.schema());
        }
        if (target.temporary() && (target.catalog() != null || target.schema() != null)) {
            throw Upload.refused("A temporary table takes neither catalog nor schema.");
        }
        if (!target.temporary() && "temp".equalsIgnoreCase(target.catalog())) {
            throw Upload.refused("A table of the catalog temp is a temporary one; ask for it as such.");
        }
    }

    private static void name(String what, String name) {
        if (name.isEmpty() || name.indexOf('\0') >= 0 || name.length() > MAX_NAME) {
            throw Upload.refused(
                    "The name of the " + what + " must have 1 to " + MAX_NAME + " characters, none of them NUL.");
        }
    }

    /** The table with its whole name, which no search path changes. */
    static IngestTable of(DuckDBConnection connection, EngineIngest ingest) throws SQLException {
        IngestTarget target = ingest.target();
        if (target.temporary()) {
            return new IngestTable("temp", "main", target.table(), true);
        }
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT current_database(), current_schema()")) {
            row.next();
            String catalog = target.catalog() == null ? row.getString(1) : target.catalog();
            String schema = target.schema();
            if (schema == null) {
                schema = target.catalog() == null ? row.getString(2) : "main";
            }
            return new IngestTable(catalog, schema, target.table(), false);
        }
    }

    String sql() {
        return DuckType.quote(catalog) + "." + DuckType.quote(schema) + "." + DuckType.quote(name);
    }

    boolean exists(DuckDBConnection connection) throws SQLException {
        String sql = "SELECT 1 FROM duckdb_tables() WHERE lower(database_name) = lower(?)"
                + " AND lower(schema_name) = lower(?) AND lower(table_name) = lower(?)"
                + " UNION ALL SELECT 1 FROM duckdb_views() WHERE lower(database_name) = lower(?)"
                + " AND lower(schema_name) = lower(?) AND lower(view_name) = lower(?)";
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < 6; i += 3) {
                statement.setString(i + 1, catalog);
                statement.setString(i + 2, schema);
                statement.setString(i + 3, name);
            }
            try (ResultSet row = statement.executeQuery()) {
                return row.next();
            }
        }
    }

    /**
     * Holds the stream's columns against the table's.
     *
     * @throws EngineException BINDING when the table lacks one, or is not there
     */
    void compare(DuckDBConnection connection, String view) throws SQLException {
        Map<String, String> table = types(connection, sql());
        Map<String, String> stream = types(connection, view);
        Map<String, String> wanted = new LinkedHashMap<>();
        table.forEach((column, type) -> wanted.put(column.toLowerCase(Locale.ROOT), type));
        for (Map.Entry<String, String> column : stream.entrySet()) {
            String key = column.getKey().toLowerCase(Locale.ROOT);
            String type = wanted.get(key);
            if (type == null) {
                throw new EngineException(
                        EngineFailure.BINDING,
                        "The table has no column " + Upload.shown(column.getKey()) + ", which the uploaded stream has.",
                        "42703",
                        -1,
                        null);
            }
            columns.put(key, new Column(column.getKey(), column.getValue(), type));
        }
    }

    /**
     * Makes the table with the stream's columns. Not by CREATE TABLE AS ... WITH NO DATA: DuckDB 2.0 then loses what the
     * same transaction inserts, when that is a row group or more.
     */
    void create(DuckDBConnection connection, String view) throws SQLException {
        StringJoiner columns =
                new StringJoiner(", ", (temporary ? "CREATE TEMP TABLE " : "CREATE TABLE ") + sql() + " (", ")");
        types(connection, view).forEach((column, type) -> columns.add(DuckType.quote(column) + " " + type));
        QueryConnections.run(connection, columns.toString());
        created = true;
    }

    /** Whether a table that was made here has so many rows; true of any other. */
    boolean has(DuckDBConnection connection, long rows) throws SQLException {
        if (!created) {
            return true;
        }
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT count(*) FROM " + sql())) {
            return row.next() && row.getLong(1) == rows;
        }
    }

    private static Map<String, String> types(DuckDBConnection connection, String relation) throws SQLException {
        Map<String, String> types = new LinkedHashMap<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("DESCRIBE " + relation)) {
            while (row.next()) {
                types.put(row.getString(1), row.getString(2));
            }
        }
        return types;
    }

    /** Names the column that a failure is about, where DuckDB only names its types. */
    EngineException explain(DuckDBConnection connection, EngineException failure) {
        Matcher cast = CAST.matcher(String.valueOf(failure.getMessage()));
        if (!cast.find()) {
            return failure;
        }
        for (Column column : columns.values()) {
            if (column.given().equals(cast.group(1)) && column.wanted().equals(cast.group(2))) {
                return new EngineException(
                        EngineFailure.BINDING,
                        "Column " + Upload.shown(column.name()) + " has the type " + column.given()
                                + " in the uploaded stream, which cannot be cast to the table's " + column.wanted()
                                + ".",
                        "42846",
                        -1,
                        failure);
            }
        }
        return failure;
    }
}
