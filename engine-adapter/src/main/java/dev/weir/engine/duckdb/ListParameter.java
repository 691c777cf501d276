package dev.weir.engine.duckdb;

import dev.weir.engine.EngineException;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.util.List;
import org.duckdb.DuckDBConnection;
import org.jspecify.annotations.Nullable;

/** Binds a list: DuckDB wants the type of its elements, which are Java values that may be null or lists themselves. */
final class ListParameter {

    /** The type of a list without any value to tell it. */
    private static final String UNKNOWN = "?";

    private static final String DECIMAL = "DECIMAL(38,";

    private ListParameter() {}

    /** @throws EngineException INVALID_PARAMETER for elements of different types */
    static Object bind(DuckDBConnection connection, List<?> list, int position) throws SQLException {
        String type = elements(list, position).replace(UNKNOWN, "INTEGER");
        return array(connection, list, type, position);
    }

    private static Object array(DuckDBConnection connection, List<?> list, String type, int position)
            throws SQLException {
        Object[] values = new Object[list.size()];
        for (int i = 0; i < values.length; i++) {
            Object element = list.get(i);
            if (element instanceof List<?> inner) {
                values[i] = array(connection, inner, type.substring(0, type.length() - 2), position);
            } else if (element != null) {
                values[i] = scaled(Parameters.convert(connection, element, position), type, position);
            }
        }
        return connection.createArrayOf(type, values);
    }

    private static Object scaled(Object value, String type, int position) {
        if (!(value instanceof BigDecimal decimal)) {
            return value;
        }
        int scale = Integer.parseInt(type.substring(DECIMAL.length(), type.length() - 1));
        BigDecimal scaled = decimal.setScale(scale);
        if (scaled.precision() > 38) {
            throw Parameters.invalid(position, "has more than 38 digits");
        }
        return scaled;
    }

    private static String elements(List<?> list, int position) {
        String type = UNKNOWN;
        for (Object element : list) {
            type = common(type, element == null ? UNKNOWN : type(element, position), position);
        }
        return type;
    }

    private static String common(String a, String b, int position) {
        if (a.equals(b) || b.equals(UNKNOWN)) {
            return a;
        }
        if (a.equals(UNKNOWN)) {
            return b;
        }
        if (a.endsWith("[]") && b.endsWith("[]")) {
            return common(a.substring(0, a.length() - 2), b.substring(0, b.length() - 2), position) + "[]";
        }
        if (a.startsWith(DECIMAL) && b.startsWith(DECIMAL)) {
            return a.length() > b.length() || (a.length() == b.length() && a.compareTo(b) > 0) ? a : b;
        }
        throw Parameters.invalid(position, "is a list of different types");
    }

    private static String type(Object value, int position) {
        if (value instanceof List<?> list) {
            return elements(list, position) + "[]";
        }
        String type = simpleType(value);
        if (type == null) {
            throw Parameters.invalid(
                    position,
                    "holds a type that cannot be bound: " + value.getClass().getSimpleName());
        }
        return type;
    }

    private static @Nullable String simpleType(Object value) {
        return switch (value.getClass().getSimpleName()) {
            case "Boolean" -> "BOOLEAN";
            case "Byte" -> "TINYINT";
            case "Short" -> "SMALLINT";
            case "Integer" -> "INTEGER";
            case "Long" -> "BIGINT";
            case "BigInteger" -> "HUGEINT";
            case "Float" -> "FLOAT";
            case "Double" -> "DOUBLE";
            case "BigDecimal" -> DECIMAL + Math.min(38, Math.max(0, ((BigDecimal) value).scale())) + ")";
            case "String", "Duration" -> "VARCHAR";
            case "byte[]" -> "BLOB";
            case "UUID" -> "UUID";
            case "LocalDate" -> "DATE";
            case "LocalTime" -> "TIME";
            case "LocalDateTime" -> "TIMESTAMP";
            case "OffsetDateTime" -> "TIMESTAMPTZ";
            default -> null;
        };
    }
}
