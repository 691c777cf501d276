package dev.weir.engine;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A question about the catalog. Filters ending in {@code Pattern} are LIKE patterns with backslash as escape; null
 * means no filter; a catalog is matched exactly and empty string means objects without one.
 *
 * @param kind what is asked
 * @param catalog exact catalog name
 * @param schemaPattern schema name pattern (exact name for keys)
 * @param tablePattern table name pattern (exact name for keys)
 * @param tableTypes types to include, empty for all: TABLE, VIEW, LOCAL TEMPORARY
 * @param includeSchema for TABLES: each table's Arrow schema, IPC-serialised, in table_schema
 */
public record MetadataRequest(
        Kind kind,
        @Nullable String catalog,
        @Nullable String schemaPattern,
        @Nullable String tablePattern,
        List<String> tableTypes,
        boolean includeSchema) {

    /** The questions; each answers in the columns of the Flight SQL command of that name. */
    public enum Kind {
        CATALOGS,
        SCHEMAS,
        TABLES,
        TABLE_TYPES,
        PRIMARY_KEYS,
        EXPORTED_KEYS,
        IMPORTED_KEYS,
        CROSS_REFERENCE,
        XDBC_TYPE_INFO
    }

    /** A request without filters. */
    public static MetadataRequest of(Kind kind) {
        return new MetadataRequest(kind, null, null, null, List.of(), false);
    }
}
