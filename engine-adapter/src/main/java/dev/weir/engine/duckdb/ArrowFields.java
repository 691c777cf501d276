package dev.weir.engine.duckdb;

import dev.weir.engine.duckdb.DuckType.Child;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.IntervalUnit;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.UnionMode;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.jspecify.annotations.Nullable;

/** The Arrow fields that DuckDB exports for its types, so that a schema is known before anything runs. */
final class ArrowFields {

    private static final Map<String, String> GEOMETRY_METADATA =
            Map.of("ARROW:extension:name", "geoarrow.wkb", "ARROW:extension:metadata", "{}");

    private ArrowFields() {}

    /**
     * The field of a column.
     *
     * @param type a wire type ({@link DuckType#wire()})
     * @param zone the connection's TimeZone
     */
    static Field of(String name, DuckType type, String zone) {
        return field(name, type, zone, true);
    }

    private static Field field(String name, DuckType type, String zone, boolean nullable) {
        Map<String, String> metadata = type.is("GEOMETRY") ? GEOMETRY_METADATA : null;
        ArrowType arrow = arrow(type, zone);
        return new Field(name, new FieldType(nullable, arrow, null, metadata), children(type, zone));
    }

    private static @Nullable List<Field> children(DuckType type, String zone) {
        return switch (type.name()) {
            case "LIST" -> List.of(field("l", type.children().get(0).type(), zone, true));
            case "ARRAY" -> List.of(field("", type.children().get(0).type(), zone, true));
            case "MAP" ->
                List.of(new Field(
                        "entries",
                        FieldType.notNullable(ArrowType.Struct.INSTANCE),
                        List.of(
                                field("key", type.children().get(0).type(), zone, false),
                                field("value", type.children().get(1).type(), zone, true))));
            case "STRUCT", "UNION" -> named(type, zone);
            case "TUPLE" -> numbered(type, zone);
            default -> null;
        };
    }

    private static List<Field> named(DuckType type, String zone) {
        List<Field> fields = new ArrayList<>();
        for (Child child : type.children()) {
            fields.add(field(child.name(), child.type(), zone, true));
        }
        return fields;
    }

    private static List<Field> numbered(DuckType type, String zone) {
        List<Field> fields = new ArrayList<>();
        for (Child child : type.children()) {
            fields.add(field("element" + (fields.size() + 1), child.type(), zone, true));
        }
        return fields;
    }

    private static ArrowType arrow(DuckType type, String zone) {
        return switch (type.name()) {
            case "BOOLEAN" -> ArrowType.Bool.INSTANCE;
            case "TINYINT" -> new ArrowType.Int(8, true);
            case "SMALLINT" -> new ArrowType.Int(16, true);
            case "NULL" -> ArrowType.Null.INSTANCE;
            case "INTEGER" -> new ArrowType.Int(32, true);
            case "BIGINT" -> new ArrowType.Int(64, true);
            case "UTINYINT" -> new ArrowType.Int(8, false);
            case "USMALLINT" -> new ArrowType.Int(16, false);
            case "UINTEGER" -> new ArrowType.Int(32, false);
            case "UBIGINT" -> new ArrowType.Int(64, false);
            case "HUGEINT" -> new ArrowType.Decimal(38, 0, 128);
            case "DECIMAL" -> decimal(type.arguments());
            case "FLOAT" -> new ArrowType.FloatingPoint(FloatingPointPrecision.SINGLE);
            case "DOUBLE" -> new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE);
            case "BLOB", "GEOMETRY" -> ArrowType.Binary.INSTANCE;
            case "LIST" -> ArrowType.List.INSTANCE;
            case "ARRAY" -> new ArrowType.FixedSizeList(Integer.parseInt(type.arguments()));
            case "MAP" -> new ArrowType.Map(false);
            case "STRUCT", "TUPLE" -> ArrowType.Struct.INSTANCE;
            case "UNION" ->
                new ArrowType.Union(
                        UnionMode.Sparse,
                        IntStream.range(0, type.children().size()).toArray());
            default -> temporal(type.name(), zone);
        };
    }

    private static ArrowType temporal(String name, String zone) {
        return switch (name) {
            case "DATE" -> new ArrowType.Date(DateUnit.DAY);
            case "TIME" -> new ArrowType.Time(TimeUnit.MICROSECOND, 64);
            case "TIME_NS" -> new ArrowType.Time(TimeUnit.NANOSECOND, 64);
            case "TIMESTAMP" -> new ArrowType.Timestamp(TimeUnit.MICROSECOND, null);
            case "TIMESTAMP_S" -> new ArrowType.Timestamp(TimeUnit.SECOND, null);
            case "TIMESTAMP_MS" -> new ArrowType.Timestamp(TimeUnit.MILLISECOND, null);
            case "TIMESTAMP_NS" -> new ArrowType.Timestamp(TimeUnit.NANOSECOND, null);
            case "TIMESTAMP WITH TIME ZONE" -> new ArrowType.Timestamp(TimeUnit.MICROSECOND, zone);
            case "TIMESTAMPTZ_NS" -> new ArrowType.Timestamp(TimeUnit.NANOSECOND, zone);
            case "INTERVAL" -> new ArrowType.Interval(IntervalUnit.MONTH_DAY_NANO);
            // VARCHAR, JSON, UUID.
            default -> ArrowType.Utf8.INSTANCE;
        };
    }

    private static ArrowType decimal(String arguments) {
        String[] parts = arguments.split(",", -1);
        int precision = parts.length == 2 ? Integer.parseInt(parts[0].trim()) : 18;
        int scale = parts.length == 2 ? Integer.parseInt(parts[1].trim()) : 3;
        return new ArrowType.Decimal(precision, scale, 128);
    }
}
