package dev.weir.engine.duckdb;

import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** DuckDB's types in the terms of ODBC and JDBC. */
final class XdbcTypes {

    private static final int NULLABLE = 1;
    private static final int SEARCHABLE = 3;
    private static final int DATETIME = 9;

    /**
     * One type.
     *
     * @param code the data type's number in XDBC
     * @param size precision, length or display size
     * @param quoted whether literals stand in quotes
     * @param parameters what a declaration may give, for example precision
     * @param unsigned null where the type is no number
     * @param subcode of dates and times, else null
     */
    private record Type(
            String name,
            int code,
            @Nullable Integer size,
            boolean quoted,
            List<String> parameters,
            @Nullable Boolean unsigned,
            @Nullable Integer subcode) {

        static Type integer(String name, int code, int digits, boolean unsigned) {
            return new Type(name, code, digits, false, List.of(), unsigned, null);
        }

        static Type text(String name, int code) {
            return new Type(name, code, null, true, List.of(), null, null);
        }

        static Type time(String name, int code, int size, int subcode) {
            return new Type(name, code, size, true, List.of(), null, subcode);
        }
    }

    private static final List<Type> TYPES = Stream.of(
                    Type.integer("BOOLEAN", -7, 1, false),
                    Type.integer("TINYINT", -6, 3, false),
                    Type.integer("UTINYINT", -6, 3, true),
                    Type.integer("SMALLINT", 5, 5, false),
                    Type.integer("USMALLINT", 5, 5, true),
                    Type.integer("INTEGER", 4, 10, false),
                    Type.integer("UINTEGER", 4, 10, true),
                    Type.integer("BIGINT", -5, 19, false),
                    Type.integer("UBIGINT", -5, 20, true),
                    Type.integer("HUGEINT", 2, 38, false),
                    new Type("DECIMAL", 3, 38, false, List.of("precision", "scale"), false, null),
                    Type.integer("FLOAT", 7, 24, false),
                    Type.integer("DOUBLE", 8, 53, false),
                    Type.text("VARCHAR", 12),
                    Type.text("UUID", 12),
                    Type.text("JSON", 12),
                    Type.text("ENUM", 12),
                    Type.text("BIT", 12),
                    Type.text("UHUGEINT", 12),
                    Type.text("BIGNUM", 12),
                    Type.text("TIME WITH TIME ZONE", 12),
                    Type.text("BLOB", -3),
                    Type.text("GEOMETRY", -3),
                    Type.time("DATE", 91, 10, 1),
                    Type.time("TIME", 92, 15, 2),
                    Type.time("TIMESTAMP", 93, 26, 3),
                    Type.time("TIMESTAMP WITH TIME ZONE", 93, 32, 5),
                    Type.text("INTERVAL", 10),
                    Type.text("LIST", 0),
                    Type.text("ARRAY", 0),
                    Type.text("STRUCT", 0),
                    Type.text("MAP", 0),
                    Type.text("UNION", 0))
            .sorted(Comparator.comparingInt(Type::code).thenComparing(Type::name))
            .toList();

    private XdbcTypes() {}

    /**
     * Decimal digits of a number's type. Columns have no radix to say otherwise: clients take 10 for all of them, floating
     * point too.
     *
     * @param declared DuckDB's own answer, of use for DECIMAL only: it counts the others in bits
     * @return null for what is no number
     */
    static @Nullable String precision(String name, @Nullable String declared) {
        return switch (name) {
            case "DECIMAL" -> declared;
            case "FLOAT" -> "7";
            case "DOUBLE" -> "15";
            default ->
                TYPES.stream()
                        .filter(type -> type.name().equals(name) && isNumber(type))
                        .map(type -> String.valueOf(type.size()))
                        .findFirst()
                        .orElse(null);
        };
    }

    private static boolean isNumber(Type type) {
        return type.unsigned() != null && !type.name().equals("BOOLEAN");
    }

    static void write(RowWriter rows) {
        for (Type type : TYPES) {
            boolean number = isNumber(type);
            boolean approximate = type.name().equals("FLOAT") || type.name().equals("DOUBLE");
            boolean decimal = type.name().equals("DECIMAL");
            rows.add(
                    type.name(),
                    type.code(),
                    type.size(),
                    type.quoted() ? "'" : null,
                    type.quoted() ? "'" : null,
                    type.parameters().isEmpty() ? null : type.parameters(),
                    NULLABLE,
                    type.code() == 12,
                    SEARCHABLE,
                    number ? type.unsigned() : null,
                    false,
                    number ? false : null,
                    type.name(),
                    decimal || number && !approximate ? 0 : null,
                    decimal ? Integer.valueOf(38) : number && !approximate ? Integer.valueOf(0) : null,
                    type.subcode() == null ? type.code() : DATETIME,
                    type.subcode(),
                    number ? Integer.valueOf(approximate ? 2 : 10) : null,
                    null);
        }
    }
}
