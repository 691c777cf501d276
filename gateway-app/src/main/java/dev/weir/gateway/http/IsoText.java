package dev.weir.gateway.http;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** ISO 8601 texts of dates, times and intervals, and plain decimals. */
final class IsoText {

    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final long SECONDS_PER_DAY = 86_400L;

    private IsoText() {}

    /** Days since 1970-01-01; the engine's infinities by name. */
    static void date(AsciiText text, long epochDay) {
        if (epochDay == Integer.MAX_VALUE) {
            text.put("infinity");
        } else if (epochDay == -Integer.MAX_VALUE) {
            text.put("-infinity");
        } else {
            calendar(text, epochDay);
        }
    }

    private static void calendar(AsciiText text, long epochDay) {
        LocalDate date = LocalDate.ofEpochDay(epochDay);
        int year = date.getYear();
        if (year < 0) {
            text.put('-').padded(-(long) year, 4);
        } else {
            if (year > 9999) {
                text.put('+');
            }
            text.padded(year, 4);
        }
        text.put('-').padded(date.getMonthValue(), 2).put('-').padded(date.getDayOfMonth(), 2);
    }

    /** Nanoseconds since midnight; 24:00:00 is allowed, the engine has it. */
    static void time(AsciiText text, long nanoOfDay) {
        long seconds = nanoOfDay / NANOS_PER_SECOND;
        text.padded(seconds / 3600, 2)
                .put(':')
                .padded(seconds / 60 % 60, 2)
                .put(':')
                .padded(seconds % 60, 2);
        fraction(text, (int) (nanoOfDay % NANOS_PER_SECOND));
    }

    /** Nothing, or a point and 3, 6 or 9 digits. */
    private static void fraction(AsciiText text, int nanos) {
        if (nanos == 0) {
            return;
        }
        text.put('.');
        if (nanos % 1_000_000 == 0) {
            text.padded(nanos / 1_000_000, 3);
        } else if (nanos % 1_000 == 0) {
            text.padded(nanos / 1_000, 6);
        } else {
            text.padded(nanos, 9);
        }
    }

    /**
     * A timestamp without zone.
     *
     * @param value since 1970-01-01T00:00, in units of {@code perSecond}
     * @param perSecond units in a second
     */
    static void timestamp(AsciiText text, long value, long perSecond) {
        if (!infinity(text, value)) {
            local(text, Math.floorDiv(value, perSecond), nanos(value, perSecond));
        }
    }

    /** A timestamp with the offset that holds in {@code zone} at that time. */
    static void timestamp(AsciiText text, long value, long perSecond, ZoneId zone) {
        if (infinity(text, value)) {
            return;
        }
        long seconds = Math.floorDiv(value, perSecond);
        int offset = zone instanceof ZoneOffset fixed
                ? fixed.getTotalSeconds()
                : zone.getRules().getOffset(Instant.ofEpochSecond(seconds)).getTotalSeconds();
        local(text, seconds + offset, nanos(value, perSecond));
        offset(text, offset);
    }

    private static boolean infinity(AsciiText text, long value) {
        if (value == Long.MAX_VALUE) {
            text.put("infinity");
            return true;
        }
        if (value == -Long.MAX_VALUE) {
            text.put("-infinity");
            return true;
        }
        return false;
    }

    private static int nanos(long value, long perSecond) {
        return (int) (Math.floorMod(value, perSecond) * (NANOS_PER_SECOND / perSecond));
    }

    private static void local(AsciiText text, long epochSecond, int nanos) {
        calendar(text, Math.floorDiv(epochSecond, SECONDS_PER_DAY));
        text.put('T');
        time(text, Math.floorMod(epochSecond, SECONDS_PER_DAY) * NANOS_PER_SECOND + nanos);
    }

    private static void offset(AsciiText text, int seconds) {
        if (seconds == 0) {
            text.put('Z');
            return;
        }
        int size = Math.abs(seconds);
        text.put(seconds < 0 ? '-' : '+').padded(size / 3600, 2).put(':').padded(size / 60 % 60, 2);
        if (size % 60 != 0) {
            text.put(':').padded(size % 60, 2);
        }
    }

    /** An ISO 8601 duration, such as P1Y2M3DT4H5M6.5S; each part carries its own sign. */
    static void interval(AsciiText text, long months, long days, long nanos) {
        if (months == 0 && days == 0 && nanos == 0) {
            text.put("PT0S");
            return;
        }
        text.put('P');
        part(text, months / 12, 'Y');
        part(text, months % 12, 'M');
        part(text, days, 'D');
        if (nanos == 0) {
            return;
        }
        text.put('T');
        long seconds = nanos / NANOS_PER_SECOND;
        part(text, seconds / 3600, 'H');
        part(text, seconds / 60 % 60, 'M');
        long second = seconds % 60;
        int rest = (int) (nanos % NANOS_PER_SECOND);
        if (second == 0 && rest == 0) {
            return;
        }
        if (second == 0 && rest < 0) {
            text.put('-');
        }
        text.put(second);
        fraction(text, Math.abs(rest));
        text.put('S');
    }

    private static void part(AsciiText text, long value, char unit) {
        if (value != 0) {
            text.put(value).put(unit);
        }
    }

    /** A decimal that fits a long, without exponent. */
    static void decimal(AsciiText text, long unscaled, int scale) {
        if (scale <= 0) {
            text.put(unscaled);
            for (int i = scale; i < 0 && unscaled != 0; i++) {
                text.put('0');
            }
            return;
        }
        text.decimal(unscaled, scale);
    }
}
