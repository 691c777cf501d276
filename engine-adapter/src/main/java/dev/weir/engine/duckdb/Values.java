package dev.weir.engine.duckdb;

import java.nio.ByteBuffer;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.jspecify.annotations.Nullable;

/** Whether the values in a vector's buffers are ones that native code may be given. Buffers are little endian. */
final class Values {

    private static final int VIEW_BYTES = 16;
    private static final int INLINE_BYTES = 12;
    private static final long DAY_SECONDS = 86_400;
    private static final long HIGH_BITS = 0x8080808080808080L;

    private Values() {}

    private static long offset(ByteBuffer offsets, int at, int width) {
        return width == 4 ? offsets.getInt(at * 4) : offsets.getLong(at * 8);
    }

    /** Offsets from 0 on that never go back, up to the end at most. */
    static boolean offsets(ByteBuffer offsets, int rows, int width, long end) {
        long before = offset(offsets, 0, width);
        if (before < 0) {
            return false;
        }
        for (int i = 1; i <= rows; i++) {
            long next = offset(offsets, i, width);
            if (next < before) {
                return false;
            }
            before = next;
        }
        return before <= end;
    }

    /** Each value that is one is UTF-8 by itself. The offsets have been looked at. */
    static boolean texts(ByteBuffer offsets, int rows, int width, ByteBuffer data, Validity valid) {
        int first = (int) offset(offsets, 0, width);
        int last = (int) offset(offsets, rows, width);
        if (isAscii(data, first, last)) {
            return true;
        }
        for (int i = 0; i < rows; i++) {
            int from = (int) offset(offsets, i, width);
            int to = (int) offset(offsets, i + 1, width);
            if (from < to && valid.has(i) && !isUtf8(data, from, to)) {
                return false;
            }
        }
        return true;
    }

    static boolean views(ByteBuffer views, int rows, ByteBuffer[] data, boolean text, Validity valid) {
        for (int i = 0; i < rows; i++) {
            if (!valid.has(i)) {
                continue;
            }
            int at = i * VIEW_BYTES;
            int length = views.getInt(at);
            if (length < 0) {
                return false;
            }
            ByteBuffer in = views;
            int from = at + 4;
            if (length > INLINE_BYTES) {
                int index = views.getInt(at + 8);
                from = views.getInt(at + 12);
                if (index < 0 || index >= data.length || from < 0 || length > data[index].limit() - from) {
                    return false;
                }
                in = data[index];
            }
            if (text && !isUtf8(in, from, from + length)) {
                return false;
            }
        }
        return true;
    }

    static boolean isAscii(ByteBuffer data, int from, int to) {
        int at = from;
        for (; at <= to - 8; at += 8) {
            if ((data.getLong(at) & HIGH_BITS) != 0) {
                return false;
            }
        }
        for (; at < to; at++) {
            if (data.get(at) < 0) {
                return false;
            }
        }
        return true;
    }

    static boolean isUtf8(ByteBuffer data, int from, int to) {
        int at = from;
        while (at < to) {
            int first = data.get(at) & 0xFF;
            if (first < 0x80) {
                at++;
                continue;
            }
            int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
            if (first < 0xC2 || first > 0xF4 || at + more >= to) {
                return false;
            }
            int second = data.get(at + 1) & 0xFF;
            int least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
            int most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
            if (second < least || second > most) {
                return false;
            }
            for (int i = 2; i <= more; i++) {
                if ((data.get(at + i) & 0xC0) != 0x80) {
                    return false;
                }
            }
            at += more + 1;
        }
        return true;
    }

    /** @param inside rows of each member */
    static boolean members(ByteBuffer types, @Nullable ByteBuffer offsets, int rows, long[] inside) {
        for (int i = 0; i < rows; i++) {
            int type = types.get(i);
            if (type < 0 || type >= inside.length) {
                return false;
            }
            if (offsets != null) {
                int at = offsets.getInt(i * 4);
                if (at < 0 || at >= inside[type]) {
                    return false;
                }
            }
        }
        return true;
    }

    static boolean indices(ByteBuffer data, int rows, ArrowType.Int type, int size, Validity valid) {
        int bytes = type.getBitWidth() / 8;
        for (int i = 0; i < rows; i++) {
            long index = switch (bytes) {
                case 1 -> type.getIsSigned() ? data.get(i) : data.get(i) & 0xFF;
                case 2 -> type.getIsSigned() ? data.getShort(i * 2) : data.getShort(i * 2) & 0xFFFF;
                case 4 -> type.getIsSigned() ? data.getInt(i * 4) : data.getInt(i * 4) & 0xFFFFFFFFL;
                default -> data.getLong(i * 8);
            };
            if ((index < 0 || index >= size) && valid.has(i)) {
                return false;
            }
        }
        return true;
    }

    static boolean decimals(ByteBuffer data, int rows, int precision, Validity valid) {
        if (precision > 18) {
            return wideDecimals(data, rows, precision, valid);
        }
        long limit = powerOfTen(precision);
        for (int i = 0; i < rows; i++) {
            long low = data.getLong(i * 16);
            long high = data.getLong(i * 16 + 8);
            if ((high != low >> 63 || low >= limit || low <= -limit) && valid.has(i)) {
                return false;
            }
        }
        return true;
    }

    private static boolean wideDecimals(ByteBuffer data, int rows, int precision, Validity valid) {
        java.math.BigInteger limit = java.math.BigInteger.TEN.pow(precision);
        long limitLow = limit.longValue();
        long limitHigh = limit.shiftRight(64).longValue();
        for (int i = 0; i < rows; i++) {
            long low = data.getLong(i * 16);
            long high = data.getLong(i * 16 + 8);
            if (high < 0) {
                low = -low;
                high = ~high + (low == 0 ? 1 : 0);
            }
            boolean less =
                    high >= 0 && (high < limitHigh || (high == limitHigh && Long.compareUnsigned(low, limitLow) < 0));
            if (!less && valid.has(i)) {
                return false;
            }
        }
        return true;
    }

    private static long powerOfTen(int exponent) {
        long power = 1;
        for (int i = 0; i < exponent; i++) {
            power *= 10;
        }
        return power;
    }

    static boolean times(ByteBuffer data, int rows, ArrowType.Time type, Validity valid) {
        long day = switch (type.getUnit()) {
            case SECOND -> DAY_SECONDS;
            case MILLISECOND -> DAY_SECONDS * 1_000;
            case MICROSECOND -> DAY_SECONDS * 1_000_000;
            case NANOSECOND -> DAY_SECONDS * 1_000_000_000;
        };
        boolean narrow = type.getBitWidth() == 32;
        for (int i = 0; i < rows; i++) {
            long value = narrow ? data.getInt(i * 4) : data.getLong(i * 8);
            if ((value < 0 || value > day) && valid.has(i)) {
                return false;
            }
        }
        return true;
    }
}
