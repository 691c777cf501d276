package dev.weir.engine.duckdb;

import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.util.MemoryUtil;
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
        HUGEINT(16),
        DAYS(Integer.BYTES),
        TICKS(Long.BYTES);

        /** Bytes of a value. */
        final int width;

        Check(int width) {
            this.width = width;
        }
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
        if (!hasSuspect(check, vector.getDataBuffer(), vector.getValueCount())) {
            return;
        }
        ArrowBuf data = vector.getDataBuffer();
        for (int i = 0; i < vector.getValueCount(); i++) {
            if (hasSuspect(check, data.slice((long) check.width * i, check.width), 1) && !vector.isNull(i)) {
                throw refuse(column, check);
            }
        }
    }

    /** Looks at every value of every such column of every result, nulls' places included: one tight loop for each kind. */
    private static boolean hasSuspect(Check check, ArrowBuf data, int count) {
        data.checkBytes(0, (long) check.width * count);
        long at = data.memoryAddress();
        long end = at + (long) check.width * count;
        boolean suspect = false;
        switch (check) {
            case HUGEINT -> {
                for (; at < end; at += Check.HUGEINT.width) {
                    suspect |= isBeyond38Digits(MemoryUtil.getLong(at + Long.BYTES), MemoryUtil.getLong(at));
                }
            }
            case DAYS -> {
                for (; at < end; at += Integer.BYTES) {
                    suspect |= Math.abs(MemoryUtil.getInt(at)) == Integer.MAX_VALUE;
                }
            }
            case TICKS -> {
                for (; at < end; at += Long.BYTES) {
                    suspect |= Math.abs(MemoryUtil.getLong(at)) == Long.MAX_VALUE;
                }
            }
        }
        return suspect;
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
