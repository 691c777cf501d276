package dev.weir.engine.duckdb;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Makes of a client's schema the one that DuckDB sees: checked, with storage types in the place of Java's extension
 * types, and with those extension names only whose values DuckDB checks or whose every value is a good one. The formats
 * behind others (BIT, BIGNUM) are DuckDB's own, and it trusts them.
 */
final class UploadSchema {

    private static final int MAX_DEPTH = 100;
    private static final int MAX_COLUMNS = 10_000;
    private static final String NAME = ArrowType.ExtensionType.EXTENSION_METADATA_KEY_NAME;
    private static final String METADATA = ArrowType.ExtensionType.EXTENSION_METADATA_KEY_METADATA;
    private static final Set<String> EXTENSIONS =
            Set.of("arrow.uuid", "arrow.json", "arrow.bool8", "geoarrow.wkb", "ogc.wkb");
    private static final Set<String> OPAQUE = Set.of("hugeint", "uhugeint", "time_tz");

    private UploadSchema() {}

    static Schema of(Schema given) {
        List<Field> columns = given.getFields();
        if (columns.isEmpty()) {
            throw Upload.refused("The uploaded stream has no columns.");
        }
        if (columns.size() > MAX_COLUMNS) {
            throw Upload.refused("The uploaded stream has more than " + MAX_COLUMNS + " columns.");
        }
        Set<String> names = new HashSet<>();
        List<Field> plain = new ArrayList<>(columns.size());
        for (Field column : columns) {
            String name = column.getName();
            if (name == null || name.isEmpty()) {
                throw Upload.refused("A column of the uploaded stream has no name.");
            }
            if (!names.add(name.toLowerCase(Locale.ROOT))) {
                throw Upload.refused("The uploaded stream has the column " + Upload.shown(name) + " twice.");
            }
            plain.add(plain(column, name, 0));
        }
        return new Schema(plain);
    }

    private static Field plain(Field field, String column, int depth) {
        if (depth > MAX_DEPTH) {
            throw Upload.refused(
                    "Column " + Upload.shown(column) + " is nested more than " + MAX_DEPTH + " levels deep.");
        }
        String name = field.getName();
        if (name != null && name.indexOf('\0') >= 0) {
            throw Upload.refused("Column " + Upload.shown(column) + " has a name with a NUL character.");
        }
        ArrowType type = storage(field.getType());
        checkType(type, field, column);
        DictionaryEncoding dictionary = field.getDictionary();
        if (dictionary != null && depth > 0 && !field.getChildren().isEmpty()) {
            throw Upload.refused("Column " + Upload.shown(column) + " has a dictionary of nested values inside of it.");
        }
        List<Field> children = new ArrayList<>(field.getChildren().size());
        for (Field child : field.getChildren()) {
            children.add(plain(child, column, depth + 1));
        }
        return new Field(
                name, new FieldType(field.isNullable(), type, dictionary, extension(field.getMetadata())), children);
    }

    private static ArrowType storage(ArrowType type) {
        ArrowType plain = type;
        while (plain instanceof ArrowType.ExtensionType extension) {
            plain = extension.storageType();
        }
        return plain;
    }

    private static Map<String, String> extension(Map<String, String> metadata) {
        String name = metadata == null ? null : metadata.get(NAME);
        if (name == null) {
            return Map.of();
        }
        String more = metadata.getOrDefault(METADATA, "");
        boolean known = EXTENSIONS.contains(name)
                || (name.equals("arrow.opaque")
                        && OPAQUE.stream().anyMatch(type -> more.contains("\"" + type + "\""))
                        && more.contains("DuckDB"));
        return known ? Map.of(NAME, name, METADATA, more) : Map.of();
    }

    private static void checkType(ArrowType type, Field field, String column) {
        int children = field.getChildren().size();
        boolean good = switch (type.getTypeID()) {
            case Null, Bool, Utf8, LargeUtf8, Utf8View, Binary, LargeBinary, BinaryView -> children == 0;
            case Int, Date, Time, Timestamp, Duration, Interval -> children == 0;
            case FloatingPoint -> children == 0;
            case Decimal -> children == 0 && decimal((ArrowType.Decimal) type);
            case FixedSizeBinary -> children == 0 && ((ArrowType.FixedSizeBinary) type).getByteWidth() > 0;
            case List, LargeList -> children == 1;
            case FixedSizeList -> children == 1 && ((ArrowType.FixedSizeList) type).getListSize() > 0;
            case Struct -> children > 0;
            case Map -> children == 1 && entries(field.getChildren().get(0));
            case Union -> children > 0 && children <= 127 && union((ArrowType.Union) type, children);
            default -> false;
        };
        if (!good) {
            throw Upload.refused("Column " + Upload.shown(column) + " has the Arrow type " + type
                    + ", which this gateway cannot take; cast it.");
        }
    }

    private static boolean decimal(ArrowType.Decimal type) {
        return type.getBitWidth() == 128
                && type.getPrecision() >= 1
                && type.getPrecision() <= 38
                && type.getScale() >= 0
                && type.getScale() <= type.getPrecision();
    }

    private static boolean entries(Field entries) {
        return entries.getType().getTypeID() == ArrowType.ArrowTypeID.Struct
                && entries.getDictionary() == null
                && entries.getChildren().size() == 2;
    }

    private static boolean union(ArrowType.Union type, int children) {
        int[] ids = type.getTypeIds();
        if (ids == null || ids.length == 0) {
            return true;
        }
        for (int i = 0; i < ids.length; i++) {
            // DuckDB takes the id for the member's place.
            if (ids[i] != i) {
                return false;
            }
        }
        return ids.length == children;
    }
}
