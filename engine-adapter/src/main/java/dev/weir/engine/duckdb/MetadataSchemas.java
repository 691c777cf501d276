package dev.weir.engine.duckdb;

import java.util.List;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;

/** The columns in which the Flight SQL specification wants questions about the catalog answered. */
final class MetadataSchemas {

    private static final ArrowType TEXT = ArrowType.Utf8.INSTANCE;
    private static final ArrowType INT = new ArrowType.Int(32, true);
    private static final ArrowType RULE = new ArrowType.Int(8, false);
    private static final ArrowType FLAG = ArrowType.Bool.INSTANCE;

    static final Schema CATALOGS = schema(required("catalog_name", TEXT));
    static final Schema SCHEMAS = schema(optional("catalog_name", TEXT), required("db_schema_name", TEXT));
    static final Schema TABLE_TYPES = schema(required("table_type", TEXT));
    static final Schema TABLES = schema(
            optional("catalog_name", TEXT),
            optional("db_schema_name", TEXT),
            required("table_name", TEXT),
            required("table_type", TEXT));
    static final Schema TABLES_WITH_SCHEMA = schema(
            optional("catalog_name", TEXT),
            optional("db_schema_name", TEXT),
            required("table_name", TEXT),
            required("table_type", TEXT),
            required("table_schema", ArrowType.Binary.INSTANCE));
    static final Schema PRIMARY_KEYS = schema(
            optional("catalog_name", TEXT),
            optional("db_schema_name", TEXT),
            required("table_name", TEXT),
            required("column_name", TEXT),
            required("key_sequence", INT),
            optional("key_name", TEXT));
    static final Schema FOREIGN_KEYS = schema(
            optional("pk_catalog_name", TEXT),
            optional("pk_db_schema_name", TEXT),
            required("pk_table_name", TEXT),
            required("pk_column_name", TEXT),
            optional("fk_catalog_name", TEXT),
            optional("fk_db_schema_name", TEXT),
            required("fk_table_name", TEXT),
            required("fk_column_name", TEXT),
            required("key_sequence", INT),
            optional("fk_key_name", TEXT),
            optional("pk_key_name", TEXT),
            required("update_rule", RULE),
            required("delete_rule", RULE));
    static final Schema XDBC_TYPE_INFO = schema(
            required("type_name", TEXT),
            required("data_type", INT),
            optional("column_size", INT),
            optional("literal_prefix", TEXT),
            optional("literal_suffix", TEXT),
            new Field("create_params", FieldType.nullable(ArrowType.List.INSTANCE), List.of(required("item", TEXT))),
            required("nullable", INT),
            required("case_sensitive", FLAG),
            required("searchable", INT),
            optional("unsigned_attribute", FLAG),
            required("fixed_prec_scale", FLAG),
            optional("auto_increment", FLAG),
            optional("local_type_name", TEXT),
            optional("minimum_scale", INT),
            optional("maximum_scale", INT),
            required("sql_data_type", INT),
            optional("datetime_subcode", INT),
            optional("num_prec_radix", INT),
            optional("interval_precision", INT));

    private MetadataSchemas() {}

    private static Schema schema(Field... fields) {
        return new Schema(List.of(fields));
    }

    private static Field required(String name, ArrowType type) {
        return new Field(name, FieldType.notNullable(type), null);
    }

    private static Field optional(String name, ArrowType type) {
        return new Field(name, FieldType.nullable(type), null);
    }
}
