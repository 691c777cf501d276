package dev.weir.gateway.http;

import java.util.stream.Collectors;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.jspecify.annotations.Nullable;

/** SQL names of column types, as the engine's users write them. */
final class ColumnTypes {

    /** Key of a field's metadata that names its extension type. */
    static final String EXTENSION_NAME = "ARROW:extension:name";

    private ColumnTypes() {}

    /** The extension type of a column, or null. */
    static @Nullable String extension(Field field) {
        return field.getMetadata().get(EXTENSION_NAME);
    }

    static String name(Field field) {
        String extension = extension(field);
        if (extension != null) {
            String known = switch (extension) {
                case "arrow.uuid" -> "UUID";
                case "arrow.json" -> "JSON";
                case "arrow.bool8" -> "BOOLEAN";
                case "geoarrow.wkb" -> "GEOMETRY";
                default -> null;
            };
            if (known != null) {
                return known;
            }
        }
        if (field.getDictionary() != null) {
            return "ENUM";
        }
        return field.getType().accept(new Namer(field));
    }

    private static String child(Field field, int index) {
        return index < field.getChildren().size() ? name(field.getChildren().get(index)) : "NULL";
    }

    private static String fields(Field field) {
        return field.getChildren().stream()
                .map(f -> '"' + f.getName().replace("\"", "\"\"") + "\" " + name(f))
                .collect(Collectors.joining(", ", "(", ")"));
    }

    private static final class Namer extends ArrowType.PrimitiveTypeVisitor<String> {

        private final Field field;

        Namer(Field field) {
            this.field = field;
        }

        @Override
        public String visit(ArrowType.Null type) {
            return "NULL";
        }

        @Override
        public String visit(ArrowType.Bool type) {
            return "BOOLEAN";
        }

        @Override
        public String visit(ArrowType.Int type) {
            String name = switch (type.getBitWidth()) {
                case 8 -> "TINYINT";
                case 16 -> "SMALLINT";
                case 32 -> "INTEGER";
                default -> "BIGINT";
            };
            return type.getIsSigned() ? name : "U" + name;
        }

        @Override
        public String visit(ArrowType.FloatingPoint type) {
            return type.getPrecision() == FloatingPointPrecision.DOUBLE ? "DOUBLE" : "FLOAT";
        }

        @Override
        public String visit(ArrowType.Decimal type) {
            return "DECIMAL(" + type.getPrecision() + "," + type.getScale() + ")";
        }

        @Override
        public String visit(ArrowType.Utf8 type) {
            return "VARCHAR";
        }

        @Override
        public String visit(ArrowType.Utf8View type) {
            return "VARCHAR";
        }

        @Override
        public String visit(ArrowType.LargeUtf8 type) {
            return "VARCHAR";
        }

        @Override
        public String visit(ArrowType.Binary type) {
            return "BLOB";
        }

        @Override
        public String visit(ArrowType.BinaryView type) {
            return "BLOB";
        }

        @Override
        public String visit(ArrowType.LargeBinary type) {
            return "BLOB";
        }

        @Override
        public String visit(ArrowType.FixedSizeBinary type) {
            return "BLOB";
        }

        @Override
        public String visit(ArrowType.Date type) {
            return "DATE";
        }

        @Override
        public String visit(ArrowType.Time type) {
            return "TIME";
        }

        @Override
        public String visit(ArrowType.Timestamp type) {
            if (type.getTimezone() != null) {
                return "TIMESTAMP WITH TIME ZONE";
            }
            return switch (type.getUnit()) {
                case SECOND -> "TIMESTAMP_S";
                case MILLISECOND -> "TIMESTAMP_MS";
                case MICROSECOND -> "TIMESTAMP";
                case NANOSECOND -> "TIMESTAMP_NS";
            };
        }

        @Override
        public String visit(ArrowType.Interval type) {
            return "INTERVAL";
        }

        @Override
        public String visit(ArrowType.Duration type) {
            return "INTERVAL";
        }

        @Override
        public String visit(ArrowType.ExtensionType type) {
            return switch (type.extensionName()) {
                case "arrow.uuid" -> "UUID";
                default -> type.extensionName();
            };
        }

        @Override
        public String visit(ArrowType.ComplexType type) {
            if (type instanceof ArrowType.Struct) {
                return "STRUCT" + fields(field);
            }
            if (type instanceof ArrowType.Map) {
                Field entries = field.getChildren().get(0);
                return "MAP(" + child(entries, 0) + ", " + child(entries, 1) + ")";
            }
            if (type instanceof ArrowType.FixedSizeList list) {
                return child(field, 0) + "[" + list.getListSize() + "]";
            }
            if (type instanceof ArrowType.Union) {
                return "UNION" + fields(field);
            }
            if (type instanceof ArrowType.List
                    || type instanceof ArrowType.LargeList
                    || type instanceof ArrowType.ListView
                    || type instanceof ArrowType.LargeListView) {
                return child(field, 0) + "[]";
            }
            return type.toString();
        }
    }
}
