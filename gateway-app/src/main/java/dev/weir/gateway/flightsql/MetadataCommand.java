package dev.weir.gateway.flightsql;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.weir.engine.MetadataRequest;
import dev.weir.engine.MetadataRequest.Kind;
import dev.weir.gateway.query.ResultStream;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.function.UnaryOperator;
import org.apache.arrow.flight.sql.FlightSqlProducer.Schemas;
import org.apache.arrow.flight.sql.impl.FlightSql;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A question about the catalog.
 *
 * @param request to the engine
 * @param schema of the answer, as the specification has it
 * @param wanted which rows of the engine's answer were asked for
 */
record MetadataCommand(MetadataRequest request, Schema schema, BiPredicate<VectorSchemaRoot, Integer> wanted) {

    private static final BiPredicate<VectorSchemaRoot, Integer> ALL = (root, row) -> true;

    /** ODBC drivers send this as the catalog and mean any. */
    private static final String ANY = "%";

    /** Null when the command asks something else. */
    static @Nullable MetadataCommand of(Any command) throws InvalidProtocolBufferException {
        if (command.is(FlightSql.CommandGetCatalogs.class)) {
            return new MetadataCommand(MetadataRequest.of(Kind.CATALOGS), Schemas.GET_CATALOGS_SCHEMA, ALL);
        } else if (command.is(FlightSql.CommandGetDbSchemas.class)) {
            return schemas(command.unpack(FlightSql.CommandGetDbSchemas.class));
        } else if (command.is(FlightSql.CommandGetTables.class)) {
            return tables(command.unpack(FlightSql.CommandGetTables.class));
        } else if (command.is(FlightSql.CommandGetTableTypes.class)) {
            return new MetadataCommand(MetadataRequest.of(Kind.TABLE_TYPES), Schemas.GET_TABLE_TYPES_SCHEMA, ALL);
        } else if (command.is(FlightSql.CommandGetPrimaryKeys.class)) {
            FlightSql.CommandGetPrimaryKeys keys = command.unpack(FlightSql.CommandGetPrimaryKeys.class);
            return keys(
                    Kind.PRIMARY_KEYS,
                    keys.hasCatalog() ? keys.getCatalog() : null,
                    keys.hasDbSchema() ? keys.getDbSchema() : null,
                    keys.getTable(),
                    Schemas.GET_PRIMARY_KEYS_SCHEMA);
        } else if (command.is(FlightSql.CommandGetExportedKeys.class)) {
            FlightSql.CommandGetExportedKeys keys = command.unpack(FlightSql.CommandGetExportedKeys.class);
            return keys(
                    Kind.EXPORTED_KEYS,
                    keys.hasCatalog() ? keys.getCatalog() : null,
                    keys.hasDbSchema() ? keys.getDbSchema() : null,
                    keys.getTable(),
                    Schemas.GET_EXPORTED_KEYS_SCHEMA);
        } else if (command.is(FlightSql.CommandGetImportedKeys.class)) {
            FlightSql.CommandGetImportedKeys keys = command.unpack(FlightSql.CommandGetImportedKeys.class);
            return keys(
                    Kind.IMPORTED_KEYS,
                    keys.hasCatalog() ? keys.getCatalog() : null,
                    keys.hasDbSchema() ? keys.getDbSchema() : null,
                    keys.getTable(),
                    Schemas.GET_IMPORTED_KEYS_SCHEMA);
        } else if (command.is(FlightSql.CommandGetCrossReference.class)) {
            return crossReference(command.unpack(FlightSql.CommandGetCrossReference.class));
        } else if (command.is(FlightSql.CommandGetXdbcTypeInfo.class)) {
            return types(command.unpack(FlightSql.CommandGetXdbcTypeInfo.class));
        }
        return null;
    }

    /** Gives the engine's answer this command's columns and rows. */
    UnaryOperator<ResultStream> shape(BufferAllocator allocator) {
        return answer -> new MetadataStream(answer, schema, wanted, allocator);
    }

    private static MetadataCommand schemas(FlightSql.CommandGetDbSchemas command) {
        MetadataRequest request = new MetadataRequest(
                Kind.SCHEMAS,
                command.hasCatalog() ? catalog(command.getCatalog()) : null,
                command.hasDbSchemaFilterPattern() ? command.getDbSchemaFilterPattern() : null,
                null,
                List.of(),
                false);
        return new MetadataCommand(request, Schemas.GET_SCHEMAS_SCHEMA, ALL);
    }

    private static MetadataCommand tables(FlightSql.CommandGetTables command) {
        MetadataRequest request = new MetadataRequest(
                Kind.TABLES,
                command.hasCatalog() ? catalog(command.getCatalog()) : null,
                command.hasDbSchemaFilterPattern() ? command.getDbSchemaFilterPattern() : null,
                command.hasTableNameFilterPattern() ? command.getTableNameFilterPattern() : null,
                List.copyOf(command.getTableTypesList()),
                command.getIncludeSchema());
        return new MetadataCommand(
                request,
                command.getIncludeSchema() ? Schemas.GET_TABLES_SCHEMA : Schemas.GET_TABLES_SCHEMA_NO_SCHEMA,
                ALL);
    }

    private static MetadataCommand keys(
            Kind kind, @Nullable String catalog, @Nullable String dbSchema, String table, Schema schema) {
        MetadataRequest request =
                new MetadataRequest(kind, catalog == null ? null : catalog(catalog), dbSchema, table, List.of(), false);
        return new MetadataCommand(request, schema, ALL);
    }

    private static MetadataCommand crossReference(FlightSql.CommandGetCrossReference command) {
        MetadataRequest request = new MetadataRequest(
                Kind.CROSS_REFERENCE,
                command.hasPkCatalog() ? catalog(command.getPkCatalog()) : null,
                command.hasPkDbSchema() ? command.getPkDbSchema() : null,
                command.getPkTable(),
                List.of(),
                false);
        // The request names the referenced table; the referring one is picked from the answer.
        BiPredicate<VectorSchemaRoot, Integer> refers = is("fk_table_name", command.getFkTable());
        if (command.hasFkCatalog() && !command.getFkCatalog().equals(ANY)) {
            refers = refers.and(is("fk_catalog_name", command.getFkCatalog()));
        }
        if (command.hasFkDbSchema()) {
            refers = refers.and(is("fk_db_schema_name", command.getFkDbSchema()));
        }
        return new MetadataCommand(request, Schemas.GET_CROSS_REFERENCE_SCHEMA, refers);
    }

    private static MetadataCommand types(FlightSql.CommandGetXdbcTypeInfo command) {
        return new MetadataCommand(
                MetadataRequest.of(Kind.XDBC_TYPE_INFO),
                Schemas.GET_TYPE_INFO_SCHEMA,
                command.hasDataType() ? is("data_type", Integer.toString(command.getDataType())) : ALL);
    }

    private static @Nullable String catalog(String name) {
        return name.equals(ANY) ? null : name;
    }

    private static BiPredicate<VectorSchemaRoot, Integer> is(String column, String value) {
        return (root, row) -> {
            FieldVector vector = root.getVector(column);
            Object found = vector == null ? null : vector.getObject(row);
            return found != null && found.toString().equals(value);
        };
    }
}
