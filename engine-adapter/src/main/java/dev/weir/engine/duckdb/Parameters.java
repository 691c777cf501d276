package dev.weir.engine.duckdb;

import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.ParameterMetaData;
import java.sql.SQLException;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.duckdb.DuckDBConnection;
import org.duckdb.DuckDBPreparedStatement;
import org.jspecify.annotations.Nullable;

/** Binds the values of a query to its parameters. */
final class Parameters {

    private static final BigInteger HUGEINT_MIN = BigInteger.ONE.shiftLeft(127).negate();
    private static final BigInteger HUGEINT_MAX = BigInteger.ONE.shiftLeft(127).subtract(BigInteger.ONE);

    private Parameters() {}

    /** One field per parameter; of Arrow's null type where DuckDB cannot tell. */
    static Schema schema(DuckDBPreparedStatement statement, String zone) throws SQLException {
        ParameterMetaData metadata = statement.getParameterMetaData();
        List<Field> fields = new ArrayList<>();
        for (int i = 1; i <= metadata.getParameterCount(); i++) {
            String type = metadata.getParameterTypeName(i);
            String name = Integer.toString(i);
            fields.add(
                    type.equals("INVALID") || type.equals("UNKNOWN")
                            ? new Field(name, FieldType.nullable(ArrowType.Null.INSTANCE), null)
                            : ArrowFields.of(name, DuckType.parse(type).wire(), zone));
        }
        return new Schema(fields);
    }

    /** @throws EngineException INVALID_PARAMETER for a wrong count or a value that DuckDB cannot take */
    static void bind(
            DuckDBConnection connection, DuckDBPreparedStatement statement, List<? extends @Nullable Object> row)
            throws SQLException {
        int count = statement.getParameterMetaData().getParameterCount();
        if (row.size() != count) {
            throw new EngineException(
                    EngineFailure.INVALID_PARAMETER,
                    "The statement has " + count + " parameters, " + row.size() + " values were given",
                    "07001",
                    -1,
                    null);
        }
        for (int i = 0; i < count; i++) {
            Object value = row.get(i);
            statement.setObject(i + 1, value == null ? null : convert(connection, value, i + 1));
        }
    }

    /** Binds NULL to every parameter. */
    static void bindNulls(DuckDBPreparedStatement statement) throws SQLException {
        int count = statement.getParameterMetaData().getParameterCount();
        for (int i = 1; i <= count; i++) {
            statement.setObject(i, null);
        }
    }

    static Object convert(DuckDBConnection connection, Object value, int position) throws SQLException {
        if (value instanceof Boolean
                || value instanceof Byte
                || value instanceof Short
                || value instanceof Integer
                || value instanceof Long
                || value instanceof Float
                || value instanceof Double
                || value instanceof byte[]
                || value instanceof UUID
                || value instanceof LocalTime) {
            return value;
        }
        if (value instanceof String text) {
            if (text.indexOf('\0') >= 0) {
                throw invalid(position, "contains a NUL character");
            }
            return text;
        }
        if (value instanceof BigDecimal decimal) {
            return decimal(decimal, position);
        }
        if (value instanceof BigInteger integer) {
            if (integer.compareTo(HUGEINT_MIN) < 0 || integer.compareTo(HUGEINT_MAX) > 0) {
                throw invalid(position, "is beyond HUGEINT");
            }
            return integer;
        }
        if (value instanceof Duration duration) {
            return interval(duration, position);
        }
        if (value instanceof List<?> list) {
            return ListParameter.bind(connection, list, position);
        }
        return temporal(value, position);
    }

    private static Object temporal(Object value, int position) {
        int year;
        if (value instanceof LocalDate date) {
            year = date.getYear();
        } else if (value instanceof LocalDateTime time) {
            year = time.getYear();
        } else if (value instanceof OffsetDateTime time) {
            year = time.getYear();
        } else {
            throw invalid(
                    position,
                    "has a type that cannot be bound: " + value.getClass().getSimpleName());
        }
        // The driver loses the era of years before 1.
        if (year < 1 || year > 290_000) {
            throw invalid(position, "is beyond the dates that can be bound, years 1 to 290000");
        }
        return value;
    }

    /** DuckDB's decimals have 1 to 38 digits and no negative scale; the driver would bind NULL for more digits. */
    private static BigDecimal decimal(BigDecimal value, int position) {
        BigDecimal plain = value.scale() < 0 ? value.setScale(0) : value;
        if (Math.max(plain.precision(), plain.scale()) > 38) {
            throw invalid(position, "has more than 38 digits");
        }
        return plain;
    }

    private static String interval(Duration duration, int position) {
        try {
            long micros =
                    Math.addExact(Math.multiplyExact(duration.getSeconds(), 1_000_000L), duration.getNano() / 1000);
            return micros + " microseconds";
        } catch (ArithmeticException e) {
            throw invalid(position, "is beyond INTERVAL");
        }
    }

    static EngineException invalid(int position, String what) {
        return new EngineException(
                EngineFailure.INVALID_PARAMETER, "Parameter " + position + " " + what, "22023", -1, null);
    }
}
