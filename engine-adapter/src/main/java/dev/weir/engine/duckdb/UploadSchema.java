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
    /** DuckDB's arrays have no more. */
    private static final int MAX_LIST_SIZE = 100_000;

    private static final Set<String> OPAQUE = Set.of("hugeint", "uhugeint");

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
            plain.add(plain(column, name, 0, false));
        }
        return new Schema(plain);
    }

    private static Field plain(Field field, String column, int depth, boolean inDictionary) {
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
        if (dictionary != null && inDictionary) {
            // The inner one may be replaced by a shorter one, and the outer one's indices would lead out of it.
            throw Upload.refused("Column " + Upload.shown(column) + " has a dictionary inside of a dictionary.");
        }
        List<Field> children = new ArrayList<>(field.getChildren().size());
        for (Field child : field.getChildren()) {
            children.add(plain(child, column, depth + 1, inDictionary || dictionary != null));
        }
        return new Field(
                name,
                new FieldType(field.isNullable(), type, dictionary, extension(type, field.getMetadata())),
                children);
    }

    private static ArrowType storage(ArrowType type) {
        ArrowType plain = type;
        while (plain instanceof ArrowType.ExtensionType extension) {
            plain = extension.storageType();
        }
        return plain;
    }

    private static Map<String, String> extension(ArrowType type, Map<String, String> metadata) {
        String name = metadata == null ? null : metadata.get(NAME);
        if (name == null) {
            return Map.of();
        }
        String more = metadata.getOrDefault(METADATA, "");
        boolean known = switch (name) {
            case "arrow.uuid" -> isBytes(type, 16);
            case "arrow.opaque" ->
                isBytes(type, 16)
                        && more.contains("DuckDB")
                        && OPAQUE.stream().anyMatch(opaque -> more.contains("\"" + opaque + "\""));
            case "arrow.json" ->
                type instanceof ArrowType.Utf8
                        || type instanceof ArrowType.LargeUtf8
                        || type instanceof ArrowType.Utf8View;
            case "arrow.bool8" -> type instanceof ArrowType.Int number && number.getBitWidth() == 8;
            case "geoarrow.wkb", "ogc.wkb" ->
                type instanceof ArrowType.Binary
                        || type instanceof ArrowType.LargeBinary
                        || type instanceof ArrowType.BinaryView;
            default -> false;
        };
        return known ? Map.of(NAME, name, METADATA, more) : Map.of();
    }

    private static boolean isBytes(ArrowType type, int width) {
        return type instanceof ArrowType.FixedSizeBinary bytes && bytes.getByteWidth() == width;
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
            case FixedSizeList -> children == 1 && size(((ArrowType.FixedSizeList) type).getListSize());
            case Struct -> children > 0 && names(field.getChildren());
            case Map -> children == 1 && entries(field.getChildren().get(0));
            case Union ->
                children > 0
                        && children <= 127
                        && names(field.getChildren())
                        && union((ArrowType.Union) type, children);
            default -> false;
        };
        if (!good) {
            throw Upload.refused("Column " + Upload.shown(column) + " has the Arrow type " + type
                    + ", which this gateway cannot take; cast it.");
        }
    }

    private static boolean size(int listSize) {
        return listSize > 0 && listSize <= MAX_LIST_SIZE;
    }

    private static boolean names(List<Field> members) {
        Set<String> names = new HashSet<>();
        return members.stream()
                .allMatch(member -> names.add(String.valueOf(member.getName()).toLowerCase(Locale.ROOT)));
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
