package dev.weir.gateway.http;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DateMilliVector;
import org.apache.arrow.vector.DurationVector;
import org.apache.arrow.vector.IntervalDayVector;
import org.apache.arrow.vector.IntervalMonthDayNanoVector;
import org.apache.arrow.vector.IntervalYearVector;
import org.apache.arrow.vector.TimeMicroVector;
import org.apache.arrow.vector.TimeMilliVector;
import org.apache.arrow.vector.TimeNanoVector;
import org.apache.arrow.vector.TimeSecVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.ValueVector;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.jspecify.annotations.Nullable;

/** Writers of dates, times, timestamps and intervals: ISO 8601. */
final class TemporalWriters {

    private static final long NANOS_PER_MILLI = 1_000_000L;

    private TemporalWriters() {}

    /** The writer of a temporal vector, or null. */
    static @Nullable ColumnWriter of(ValueVector vector) {
        if (vector instanceof DateDayVector days) {
            return ScalarWriters.texts(days, (text, row) -> IsoText.date(text, days.get(row)));
        }
        if (vector instanceof DateMilliVector millis) {
            return ScalarWriters.texts(
                    millis, (text, row) -> IsoText.date(text, Math.floorDiv(millis.get(row), 86_400_000L)));
        }
        if (vector instanceof TimeMicroVector times) {
            return ScalarWriters.texts(times, (text, row) -> IsoText.time(text, times.get(row) * 1000));
        }
        if (vector instanceof TimeNanoVector times) {
            return ScalarWriters.texts(times, (text, row) -> IsoText.time(text, times.get(row)));
        }
        if (vector instanceof TimeMilliVector times) {
            return ScalarWriters.texts(times, (text, row) -> IsoText.time(text, times.get(row) * NANOS_PER_MILLI));
        }
        if (vector instanceof TimeSecVector times) {
            return ScalarWriters.texts(times, (text, row) -> IsoText.time(text, times.get(row) * 1_000_000_000L));
        }
        if (vector instanceof TimeStampVector times) {
            return timestamp(times);
        }
        if (vector instanceof IntervalMonthDayNanoVector intervals) {
            return ScalarWriters.texts(intervals, (text, row) -> {
                var buffer = intervals.getDataBuffer();
                IsoText.interval(
                        text,
                        IntervalMonthDayNanoVector.getMonths(buffer, row),
                        IntervalMonthDayNanoVector.getDays(buffer, row),
                        IntervalMonthDayNanoVector.getNanoseconds(buffer, row));
            });
        }
        if (vector instanceof IntervalYearVector intervals) {
            return ScalarWriters.texts(intervals, (text, row) -> IsoText.interval(text, intervals.get(row), 0, 0));
        }
        if (vector instanceof IntervalDayVector intervals) {
            return ScalarWriters.texts(intervals, (text, row) -> {
                var buffer = intervals.getDataBuffer();
                IsoText.interval(
                        text,
                        0,
                        IntervalDayVector.getDays(buffer, row),
                        IntervalDayVector.getMilliseconds(buffer, row) * NANOS_PER_MILLI);
            });
        }
        if (vector instanceof DurationVector durations) {
            long perSecond =
                    perSecond(((ArrowType.Duration) durations.getField().getType()).getUnit());
            return ScalarWriters.texts(durations, (text, row) -> {
                long value = DurationVector.get(durations.getDataBuffer(), row);
                text.put(Duration.ofSeconds(
                                Math.floorDiv(value, perSecond),
                                Math.floorMod(value, perSecond) * (1_000_000_000L / perSecond))
                        .toString());
            });
        }
        return null;
    }

    private static ColumnWriter timestamp(TimeStampVector times) {
        ArrowType.Timestamp type = (ArrowType.Timestamp) times.getField().getType();
        long perSecond = perSecond(type.getUnit());
        if (type.getTimezone() == null) {
            return ScalarWriters.texts(times, (text, row) -> IsoText.timestamp(text, times.get(row), perSecond));
        }
        ZoneId zone = zone(type.getTimezone());
        return ScalarWriters.texts(times, (text, row) -> IsoText.timestamp(text, times.get(row), perSecond, zone));
    }

    private static ZoneId zone(String name) {
        try {
            return ZoneId.of(name).normalized();
        } catch (DateTimeException e) {
            // The instant is right in any zone.
            return ZoneOffset.UTC;
        }
    }

    private static long perSecond(TimeUnit unit) {
        return switch (unit) {
            case SECOND -> 1L;
            case MILLISECOND -> 1_000L;
            case MICROSECOND -> 1_000_000L;
            case NANOSECOND -> 1_000_000_000L;
        };
    }
}
