package dev.weir.engine.duckdb;

import dev.weir.engine.MetadataRequest;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.duckdb.DuckDBConnection;
import org.jspecify.annotations.Nullable;

/** Answers questions about the catalog from DuckDB's own tables; used on the thread inside a scope, once. */
final class CatalogReader {

    /** Not what DuckDB keeps for itself. The catalog of temporary objects is each connection's own. */
    private static final String VISIBLE =
            "database_name <> 'system' AND schema_name NOT IN ('information_schema', 'pg_catalog')";

    /** Where the connection has temporary tables or views; their catalog is listed with them alone. */
    private static final String TEMPORARY =
            "SELECT database_name, schema_name FROM duckdb_tables() WHERE temporary UNION"
                    + " SELECT database_name, schema_name FROM duckdb_views() WHERE temporary AND NOT internal";

    private static final List<String> TABLE_TYPES = List.of("LOCAL TEMPORARY", "TABLE", "VIEW");

    /** What the SQL standard calls a TABLE; some clients ask for that name only. */
    private static final String BASE_TABLE = "BASE TABLE";

    /** Flight SQL's NO_ACTION: DuckDB knows no other rule. */
    private static final int NO_ACTION = 3;

    private final DuckDBConnection connection;
    private final MetadataRequest request;
    private final RowWriter rows;

    CatalogReader(DuckDBConnection connection, MetadataRequest request, RowWriter rows) {
        this.connection = connection;
        this.request = request;
        this.rows = rows;
    }

    /** The columns of the answer. */
    static Schema schema(MetadataRequest request) {
        return switch (request.kind()) {
            case CATALOGS -> MetadataSchemas.CATALOGS;
            case SCHEMAS -> MetadataSchemas.SCHEMAS;
            case TABLES -> request.includeSchema() ? MetadataSchemas.TABLES_WITH_SCHEMA : MetadataSchemas.TABLES;
            case TABLE_TYPES -> MetadataSchemas.TABLE_TYPES;
            case PRIMARY_KEYS -> MetadataSchemas.PRIMARY_KEYS;
            case EXPORTED_KEYS, IMPORTED_KEYS, CROSS_REFERENCE -> MetadataSchemas.FOREIGN_KEYS;
            case XDBC_TYPE_INFO -> MetadataSchemas.XDBC_TYPE_INFO;
        };
    }

    void read() throws SQLException {
        switch (request.kind()) {
            case CATALOGS -> catalogs();
            case SCHEMAS -> schemas();
            case TABLES -> tables();
            case TABLE_TYPES -> TABLE_TYPES.forEach(rows::add);
            case PRIMARY_KEYS -> primaryKeys();
            case EXPORTED_KEYS, CROSS_REFERENCE ->
                foreignKeys("database_name, schema_name, table_name, constraint_name", "referenced_table");
            case IMPORTED_KEYS -> foreignKeys("database_name, schema_name, referenced_table, pk_name", "table_name");
            case XDBC_TYPE_INFO -> XdbcTypes.write(rows);
        }
    }

    /** One row of an answer of DuckDB's. */
    @FunctionalInterface
    private interface RowReader {
        void accept(ResultSet row) throws SQLException;
    }

    private void query(String sql, RowReader reader) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            while (result.next()) {
                reader.accept(result);
            }
        }
    }

    private void catalogs() throws SQLException {
        query(
                "SELECT database_name FROM duckdb_databases() WHERE NOT internal UNION" + " SELECT database_name FROM ("
                        + TEMPORARY + ") ORDER BY 1",
                row -> rows.add(row.getString(1)));
    }

    private void schemas() throws SQLException {
        query(
                "SELECT DISTINCT database_name, schema_name FROM duckdb_schemas() WHERE database_name <> 'temp' AND "
                        + VISIBLE + " UNION " + TEMPORARY + " ORDER BY 1, 2",
                row -> {
                    if (inCatalog(row.getString(1)) && LikePattern.matches(request.schemaPattern(), row.getString(2))) {
                        rows.add(row.getString(1), row.getString(2));
                    }
                });
    }

    private boolean inCatalog(String catalog) {
        return request.catalog() == null || request.catalog().equals(catalog);
    }

    /** A table by its full name. */
    private record TableName(String catalog, String schema, String table) {}

    private void tables() throws SQLException {
        Map<TableName, String> types = new LinkedHashMap<>();
        query(
                "SELECT database_name, schema_name, table_name,"
                        + " CASE WHEN temporary THEN 'LOCAL TEMPORARY' ELSE 'TABLE' END AS type FROM duckdb_tables()"
                        + " WHERE " + VISIBLE + " UNION ALL SELECT database_name, schema_name, view_name, 'VIEW'"
                        + " FROM duckdb_views() WHERE NOT internal AND " + VISIBLE + " ORDER BY 1, 2, 3, 4",
                row -> {
                    TableName name = new TableName(row.getString(1), row.getString(2), row.getString(3));
                    if (isWanted(name, row.getString(4))) {
                        types.put(name, row.getString(4));
                    }
                });
        if (!request.includeSchema()) {
            types.forEach((name, type) -> rows.add(name.catalog(), name.schema(), name.table(), type));
            return;
        }
        Map<TableName, List<Field>> columns = columns(types);
        types.forEach((name, type) -> rows.add(
                name.catalog(),
                name.schema(),
                name.table(),
                type,
                serialized(new Schema(columns.getOrDefault(name, List.of())))));
    }

    private boolean isWanted(TableName name, String type) {
        return inCatalog(name.catalog())
                && LikePattern.matches(request.schemaPattern(), name.schema())
                && LikePattern.matches(request.tablePattern(), name.table())
                && isWanted(type);
    }

    private boolean isWanted(String type) {
        List<String> wanted = request.tableTypes();
        return wanted.isEmpty() || wanted.contains(type) || type.equals("TABLE") && wanted.contains(BASE_TABLE);
    }

    /** The columns of all wanted tables, in one question. */
    private Map<TableName, List<Field>> columns(Map<TableName, String> wanted) throws SQLException {
        Map<TableName, List<Field>> columns = new HashMap<>();
        query(
                "SELECT database_name, schema_name, table_name, column_name, data_type, is_nullable, comment,"
                        + " numeric_precision, numeric_scale FROM duckdb_columns() WHERE " + VISIBLE
                        + " ORDER BY column_index",
                row -> {
                    TableName name = new TableName(row.getString(1), row.getString(2), row.getString(3));
                    if (wanted.containsKey(name)) {
                        columns.computeIfAbsent(name, none -> new ArrayList<>()).add(column(name, row));
                    }
                });
        return columns;
    }

    private static Field column(TableName table, ResultSet row) throws SQLException {
        DuckType type = DuckType.parse(row.getString(5));
        Field field = ArrowFields.of(row.getString(4), type.wire(), QueryConnections.DEFAULT_ZONE);
        Map<String, String> metadata = new LinkedHashMap<>();
        if (field.getMetadata() != null) {
            metadata.putAll(field.getMetadata());
        }
        metadata.put("ARROW:FLIGHT:SQL:CATALOG_NAME", table.catalog());
        metadata.put("ARROW:FLIGHT:SQL:SCHEMA_NAME", table.schema());
        metadata.put("ARROW:FLIGHT:SQL:TABLE_NAME", table.table());
        metadata.put("ARROW:FLIGHT:SQL:TYPE_NAME", type.is("ENUM") ? "ENUM" : row.getString(5));
        putIfPresent(metadata, "ARROW:FLIGHT:SQL:PRECISION", XdbcTypes.precision(type.name(), row.getString(8)));
        putIfPresent(metadata, "ARROW:FLIGHT:SQL:SCALE", row.getString(9));
        putIfPresent(metadata, "ARROW:FLIGHT:SQL:REMARKS", row.getString(7));
        metadata.put("ARROW:FLIGHT:SQL:IS_CASE_SENSITIVE", type.is("VARCHAR") ? "1" : "0");
        metadata.put("ARROW:FLIGHT:SQL:IS_SEARCHABLE", "1");
        FieldType described = new FieldType(row.getBoolean(6), field.getType(), null, metadata);
        return new Field(field.getName(), described, field.getChildren());
    }

    private static void putIfPresent(Map<String, String> metadata, String key, @Nullable String value) {
        if (value != null) {
            metadata.put(key, value);
        }
    }

    private static byte[] serialized(Schema schema) {
        return schema.serializeAsMessage();
    }

    private void primaryKeys() throws SQLException {
        query(
                "SELECT database_name, schema_name, table_name, unnest(constraint_column_names),"
                        + " generate_subscripts(constraint_column_names, 1)::INTEGER AS seq, constraint_name"
                        + " FROM duckdb_constraints() WHERE constraint_type = 'PRIMARY KEY' AND " + VISIBLE
                        + " ORDER BY 1, 2, 3, 6, 5",
                row -> {
                    if (isTable(row.getString(1), row.getString(2), row.getString(3))) {
                        rows.add(
                                row.getString(1),
                                row.getString(2),
                                row.getString(3),
                                row.getString(4),
                                row.getInt(5),
                                row.getString(6));
                    }
                });
    }

    private boolean isTable(String catalog, String schema, String table) {
        return inCatalog(catalog)
                && (request.schemaPattern() == null || request.schemaPattern().equals(schema))
                && (request.tablePattern() == null || request.tablePattern().equals(table));
    }

    /** Foreign keys of the tables whose {@code side} is asked for; DuckDB keeps both sides in one schema. */
    private void foreignKeys(String order, String side) throws SQLException {
        query(
                "SELECT f.database_name, f.schema_name, f.referenced_table, f.table_name,"
                        + " unnest(f.referenced_column_names) AS pk_column,"
                        + " unnest(f.constraint_column_names) AS fk_column,"
                        + " generate_subscripts(f.constraint_column_names, 1)::INTEGER AS seq,"
                        + " f.constraint_name, p.constraint_name AS pk_name FROM duckdb_constraints() f"
                        + " LEFT JOIN duckdb_constraints() p ON p.constraint_type IN ('PRIMARY KEY', 'UNIQUE')"
                        + " AND p.database_name = f.database_name AND p.schema_name = f.schema_name"
                        + " AND p.table_name = f.referenced_table"
                        + " AND p.constraint_column_names = f.referenced_column_names"
                        + " WHERE f.constraint_type = 'FOREIGN KEY' AND f."
                        + VISIBLE.replace(" schema_name", " f.schema_name")
                        + " ORDER BY " + order + ", seq",
                row -> {
                    if (isTable(row.getString(1), row.getString(2), row.getString(side))) {
                        rows.add(
                                row.getString(1),
                                row.getString(2),
                                row.getString(3),
                                row.getString(5),
                                row.getString(1),
                                row.getString(2),
                                row.getString(4),
                                row.getString(6),
                                row.getInt(7),
                                row.getString(8),
                                row.getString(9),
                                NO_ACTION,
                                NO_ACTION);
                    }
                });
    }
}
