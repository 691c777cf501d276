package dev.weir.engine.duckdb;

import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

/**
 * Refuses values that Arrow would carry wrongly: a HUGEINT of more than 38 digits, an infinite date or timestamp. The
 * rest of a type's values are carried right, so that these columns need no cast.
 */
final class ValueGuard {

    /** 10^38 is the first value with 39 digits. */
    private static final long HIGH_OF_LIMIT = 0x4B3B4CA85A86C47AL;

    private static final long LOW_OF_LIMIT = 0x098A224000000000L;

    private enum Check {
        HUGEINT,
        DAYS,
        TICKS
    }

    private record Column(int index, String name, DuckType type) {}

    private final List<Column> columns = new ArrayList<>();

    ValueGuard(ResultPlan plan) {
        for (int i = 0; i < plan.types().size(); i++) {
            DuckType wire = plan.types().get(i).wire();
            if (isGuarded(wire)) {
                columns.add(new Column(i, plan.names().get(i), wire));
            }
        }
    }

    private static boolean isGuarded(DuckType type) {
        return checkOf(type) != null || type.children().stream().anyMatch(child -> isGuarded(child.type()));
    }

    private static @Nullable Check checkOf(DuckType type) {
        return switch (type.name()) {
            case "HUGEINT" -> Check.HUGEINT;
            case "DATE" -> Check.DAYS;
            case "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS" -> Check.TICKS;
            case "TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ_NS" -> Check.TICKS;
            default -> null;
        };
    }

    /** @throws EngineException EXECUTION, with the column's name */
    void check(VectorSchemaRoot batch) {
        for (Column column : columns) {
            check(column, column.type(), batch.getVector(column.index()));
        }
    }

    private void check(Column column, DuckType type, FieldVector vector) {
        Check check = checkOf(type);
        if (check != null) {
            if (vector.getValueCount() > 0) {
                checkValues(column, check, vector);
            }
            return;
        }
        List<FieldVector> parts = vector.getChildrenFromFields();
        if (type.is("MAP") && !parts.isEmpty()) {
            parts = parts.get(0).getChildrenFromFields();
        }
        for (int i = 0; i < type.children().size() && i < parts.size(); i++) {
            DuckType part = type.children().get(i).type();
            if (isGuarded(part)) {
                check(column, part, parts.get(i));
            }
        }
    }

    private static void checkValues(Column column, Check check, FieldVector vector) {
        int count = vector.getValueCount();
        ArrowBuf data = vector.getDataBuffer();
        for (int i = 0; i < count; i++) {
            boolean suspect = switch (check) {
                case HUGEINT -> isBeyond38Digits(data.getLong(16L * i + 8), data.getLong(16L * i));
                case DAYS -> Math.abs(data.getInt(4L * i)) == Integer.MAX_VALUE;
                case TICKS -> Math.abs(data.getLong(8L * i)) == Long.MAX_VALUE;
            };
            if (suspect && !vector.isNull(i)) {
                throw refuse(column, check);
            }
        }
    }

    /** Whether the 128-bit number lies outside (-10^38, 10^38). */
    static boolean isBeyond38Digits(long high, long low) {
        if (high >= 0) {
            return high > HIGH_OF_LIMIT || (high == HIGH_OF_LIMIT && Long.compareUnsigned(low, LOW_OF_LIMIT) >= 0);
        }
        long negatedLow = -low;
        long negatedHigh = ~high + (low == 0 ? 1 : 0);
        return negatedHigh < 0 || isBeyond38Digits(negatedHigh, negatedLow);
    }

    private static EngineException refuse(Column column, Check check) {
        String what = check == Check.HUGEINT
                ? "holds a HUGEINT of more than 38 digits, which Arrow cannot carry"
                : "holds an infinite date or timestamp, which Arrow cannot carry";
        return new EngineException(
                EngineFailure.EXECUTION,
                "Column \"" + column.name() + "\" " + what + "; cast it to VARCHAR",
                "22003",
                -1,
                null);
    }
}
