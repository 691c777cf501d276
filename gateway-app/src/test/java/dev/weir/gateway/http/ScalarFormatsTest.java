package dev.weir.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.DurationVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntervalMonthDayNanoVector;
import org.apache.arrow.vector.LargeVarCharVector;
import org.apache.arrow.vector.TimeMicroVector;
import org.apache.arrow.vector.TimeNanoVector;
import org.apache.arrow.vector.TimeStampMicroTZVector;
import org.apache.arrow.vector.TimeStampMicroVector;
import org.apache.arrow.vector.TimeStampMilliVector;
import org.apache.arrow.vector.TimeStampNanoVector;
import org.apache.arrow.vector.TimeStampSecVector;
import org.apache.arrow.vector.TinyIntVector;
import org.apache.arrow.vector.UInt1Vector;
import org.apache.arrow.vector.UInt4Vector;
import org.apache.arrow.vector.UInt8Vector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.junit.jupiter.api.Test;

/** Values of plain types in JSON, NDJSON and CSV. */
class ScalarFormatsTest extends GoldenFormats {

    @Test
    void booleans() {
        Golden golden = golden(() -> {
            BitVector v = new BitVector("c", allocator);
            v.allocateNew(3);
            v.set(0, 1);
            v.set(1, 0);
            v.setNull(2);
            return filled(v, 3);
        });
        assertThat(golden)
                .isEqualTo(new Golden(List.of("true", "false", "null"), List.of("true", "false", ""), "BOOLEAN"));
    }

    @Test
    void losslessBooleansAreBooleans() {
        Golden golden = golden(() -> {
            TinyIntVector v = new TinyIntVector(
                    "c",
                    type(new ArrowType.Int(8, true), Map.of(ColumnTypes.EXTENSION_NAME, "arrow.bool8")),
                    allocator);
            v.allocateNew(2);
            v.set(0, 1);
            v.set(1, 0);
            return filled(v, 2);
        });
        assertThat(golden).isEqualTo(new Golden(List.of("true", "false"), List.of("true", "false"), "BOOLEAN"));
    }

    @Test
    void integersBeyondWhatJsonReadersHoldAreStrings() {
        Golden golden = golden(() -> {
            BigIntVector v = new BigIntVector("c", allocator);
            v.allocateNew(6);
            v.set(0, 9007199254740991L);
            v.set(1, 9007199254740992L);
            v.set(2, -9007199254740991L);
            v.set(3, Long.MIN_VALUE);
            v.set(4, 0);
            v.setNull(5);
            return filled(v, 6);
        });
        assertThat(golden.json())
                .containsExactly(
                        "9007199254740991",
                        "\"9007199254740992\"",
                        "-9007199254740991",
                        "\"-9223372036854775808\"",
                        "0",
                        "null");
        assertThat(golden.csv())
                .containsExactly(
                        "9007199254740991", "9007199254740992", "-9007199254740991", "-9223372036854775808", "0", "");
        assertThat(golden.type()).isEqualTo("BIGINT");
    }

    @Test
    void unsignedIntegersKeepTheirSize() {
        Golden longs = golden(() -> {
            UInt8Vector v = new UInt8Vector("c", allocator);
            v.allocateNew(2);
            v.set(0, -1L);
            v.set(1, 5L);
            return filled(v, 2);
        });
        assertThat(longs)
                .isEqualTo(new Golden(
                        List.of("\"18446744073709551615\"", "5"), List.of("18446744073709551615", "5"), "UBIGINT"));
        Golden ints = golden(() -> {
            UInt4Vector v = new UInt4Vector("c", allocator);
            v.allocateNew(1);
            v.set(0, -1);
            return filled(v, 1);
        });
        assertThat(ints).isEqualTo(new Golden(List.of("4294967295"), List.of("4294967295"), "UINTEGER"));
        Golden bytes = golden(() -> {
            UInt1Vector v = new UInt1Vector("c", allocator);
            v.allocateNew(1);
            v.set(0, -1);
            return filled(v, 1);
        });
        assertThat(bytes).isEqualTo(new Golden(List.of("255"), List.of("255"), "UTINYINT"));
    }

    @Test
    void floatingPointNumbersAreShortAndNamedWhereJsonHasNone() {
        Golden doubles = golden(() -> {
            Float8Vector v = new Float8Vector("c", allocator);
            v.allocateNew(6);
            v.set(0, 0.1);
            v.set(1, Double.NaN);
            v.set(2, Double.NEGATIVE_INFINITY);
            v.set(3, -0.0);
            v.set(4, 1e300);
            v.set(5, Double.POSITIVE_INFINITY);
            return filled(v, 6);
        });
        assertThat(doubles.json())
                .containsExactly("0.1", "\"NaN\"", "\"-Infinity\"", "-0.0", "1.0E300", "\"Infinity\"");
        assertThat(doubles.csv()).containsExactly("0.1", "NaN", "-Infinity", "-0.0", "1.0E300", "Infinity");
        Golden floats = golden(() -> {
            Float4Vector v = new Float4Vector("c", allocator);
            v.allocateNew(2);
            v.set(0, 0.1f);
            v.set(1, Float.NaN);
            return filled(v, 2);
        });
        assertThat(floats).isEqualTo(new Golden(List.of("0.1", "\"NaN\""), List.of("0.1", "NaN"), "FLOAT"));
    }

    @Test
    void decimalsAreExactStrings() {
        Golden small = golden(() -> {
            DecimalVector v = new DecimalVector("c", allocator, 18, 3);
            v.allocateNew(5);
            v.set(0, new BigDecimal("1234.500"));
            v.set(1, new BigDecimal("-0.001"));
            v.set(2, new BigDecimal("0.000"));
            v.set(3, new BigDecimal("-999999999999999.999"));
            v.setNull(4);
            return filled(v, 5);
        });
        assertThat(small.json())
                .containsExactly("\"1234.500\"", "\"-0.001\"", "\"0.000\"", "\"-999999999999999.999\"", "null");
        assertThat(small.csv()).containsExactly("1234.500", "-0.001", "0.000", "-999999999999999.999", "");
        assertThat(small.type()).isEqualTo("DECIMAL(18,3)");
        Golden large = golden(() -> {
            DecimalVector v = new DecimalVector("c", allocator, 38, 0);
            v.allocateNew(1);
            v.set(0, new BigDecimal("-99999999999999999999999999999999999999"));
            return filled(v, 1);
        });
        assertThat(large.json()).containsExactly("\"-99999999999999999999999999999999999999\"");
    }

    @Test
    void textsKeepEveryCharacter() {
        String[] texts = {
            "",
            "plain",
            "a,b",
            "say \"hi\"",
            "line\r\nbreak",
            "\uD83D\uDE00 \u05E9\u05DC\u05D5\u05DD \u0000 end",
            "=1+1",
            "back\\slash\t"
        };
        Golden golden = golden(() -> {
            VarCharVector v = new VarCharVector("c", allocator);
            v.allocateNew(texts.length);
            for (int i = 0; i < texts.length; i++) {
                v.setSafe(i, texts[i].getBytes(StandardCharsets.UTF_8));
            }
            return filled(v, texts.length);
        });
        assertThat(golden.json())
                .containsExactly(
                        "\"\"",
                        "\"plain\"",
                        "\"a,b\"",
                        "\"say \\\"hi\\\"\"",
                        "\"line\\r\\nbreak\"",
                        "\"\uD83D\uDE00 \u05E9\u05DC\u05D5\u05DD \\u0000 end\"",
                        "\"=1+1\"",
                        "\"back\\\\slash\\t\"");
        assertThat(String.join("\r\n", golden.csv()))
                .isEqualTo("\"\"\r\nplain\r\n\"a,b\"\r\n\"say \"\"hi\"\"\"\r\n\"line\r\nbreak\"\r\n"
                        + "\uD83D\uDE00 \u05E9\u05DC\u05D5\u05DD \u0000 end\r\n=1+1\r\nback\\slash\t");
        assertThat(golden.type()).isEqualTo("VARCHAR");
    }

    @Test
    void aNullAndAnEmptyTextDifferInCsv() {
        Golden golden = golden(() -> {
            LargeVarCharVector v = new LargeVarCharVector("c", allocator);
            v.allocateNew(2);
            v.setSafe(0, new byte[0]);
            v.setNull(1);
            return filled(v, 2);
        });
        assertThat(golden).isEqualTo(new Golden(List.of("\"\"", "null"), List.of("\"\"", ""), "VARCHAR"));
    }

    @Test
    void binariesAreBase64() {
        Golden golden = golden(() -> {
            VarBinaryVector v = new VarBinaryVector("c", allocator);
            v.allocateNew(2);
            v.setSafe(0, new byte[] {0, (byte) 0xFF, 1, 2});
            v.setSafe(1, new byte[0]);
            return filled(v, 2);
        });
        assertThat(golden).isEqualTo(new Golden(List.of("\"AP8BAg==\"", "\"\""), List.of("AP8BAg==", "\"\""), "BLOB"));
    }

    @Test
    void uuidsHaveTheirUsualForm() {
        UUID uuid = UUID.fromString("f81d4fae-7dec-11d0-a765-00a0c91e6bf6");
        Golden golden = golden(() -> {
            FixedSizeBinaryVector v = new FixedSizeBinaryVector(
                    "c",
                    type(new ArrowType.FixedSizeBinary(16), Map.of(ColumnTypes.EXTENSION_NAME, "arrow.uuid")),
                    allocator);
            v.allocateNew(1);
            v.set(
                    0,
                    java.nio.ByteBuffer.allocate(16)
                            .putLong(uuid.getMostSignificantBits())
                            .putLong(uuid.getLeastSignificantBits())
                            .array());
            return filled(v, 1);
        });
        assertThat(golden).isEqualTo(new Golden(List.of("\"" + uuid + "\""), List.of(uuid.toString()), "UUID"));
    }

    @Test
    void datesAndTimesAreIso() {
        Golden dates = golden(() -> {
            DateDayVector v = new DateDayVector("c", allocator);
            v.allocateNew(6);
            v.set(0, 0);
            v.set(1, 19753);
            v.set(2, -719529);
            v.set(3, Integer.MAX_VALUE);
            v.set(4, -Integer.MAX_VALUE);
            v.set(5, 3_000_000);
            return filled(v, 6);
        });
        assertThat(dates.csv())
                .containsExactly("1970-01-01", "2024-01-31", "-0001-12-31", "infinity", "-infinity", "+10183-09-21");
        Golden times = golden(() -> {
            TimeMicroVector v = new TimeMicroVector("c", allocator);
            v.allocateNew(4);
            v.set(0, 0);
            v.set(1, 86_399_999_999L);
            v.set(2, 43_200_500_000L);
            v.set(3, 86_400_000_000L);
            return filled(v, 4);
        });
        assertThat(times.json())
                .containsExactly("\"00:00:00\"", "\"23:59:59.999999\"", "\"12:00:00.500\"", "\"24:00:00\"");
        Golden nanos = golden(() -> {
            TimeNanoVector v = new TimeNanoVector("c", allocator);
            v.allocateNew(1);
            v.set(0, 1);
            return filled(v, 1);
        });
        assertThat(nanos)
                .isEqualTo(new Golden(List.of("\"00:00:00.000000001\""), List.of("00:00:00.000000001"), "TIME"));
    }

    @Test
    void timestampsCarryTheirPrecisionAndZone() {
        Golden local = golden(() -> {
            TimeStampMicroVector v = new TimeStampMicroVector("c", allocator);
            v.allocateNew(5);
            v.set(0, 1_706_703_296_123_456L);
            v.set(1, -1L);
            v.set(2, Long.MAX_VALUE);
            v.set(3, -Long.MAX_VALUE);
            v.set(4, 0);
            return filled(v, 5);
        });
        assertThat(local.csv())
                .containsExactly(
                        "2024-01-31T12:14:56.123456",
                        "1969-12-31T23:59:59.999999",
                        "infinity",
                        "-infinity",
                        "1970-01-01T00:00:00");
        assertThat(local.type()).isEqualTo("TIMESTAMP");
        assertThat(zoned("Europe/Berlin").csv())
                .containsExactly("2024-01-31T13:14:56.123456+01:00", "2024-07-01T02:00:00+02:00");
        assertThat(zoned("UTC").csv()).containsExactly("2024-01-31T12:14:56.123456Z", "2024-07-01T00:00:00Z");
        assertThat(zoned("Asia/Kathmandu").csv().get(0)).isEqualTo("2024-01-31T17:59:56.123456+05:45");
        assertThat(zoned("No/Where").csv().get(0)).isEqualTo("2024-01-31T12:14:56.123456Z");
        assertThat(zoned("UTC").type()).isEqualTo("TIMESTAMP WITH TIME ZONE");
    }

    private Golden zoned(String zone) {
        return golden(() -> {
            TimeStampMicroTZVector v = new TimeStampMicroTZVector("c", allocator, zone);
            v.allocateNew(2);
            v.set(0, 1_706_703_296_123_456L);
            v.set(1, 1_719_792_000_000_000L);
            return filled(v, 2);
        });
    }

    @Test
    void timestampsOfOtherUnits() {
        Golden seconds = golden(() -> {
            TimeStampSecVector v = new TimeStampSecVector("c", allocator);
            v.allocateNew(1);
            v.set(0, 1_706_703_296L);
            return filled(v, 1);
        });
        assertThat(seconds.csv()).containsExactly("2024-01-31T12:14:56");
        Golden millis = golden(() -> {
            TimeStampMilliVector v = new TimeStampMilliVector("c", allocator);
            v.allocateNew(1);
            v.set(0, 1_706_703_296_100L);
            return filled(v, 1);
        });
        assertThat(millis.csv()).containsExactly("2024-01-31T12:14:56.100");
        Golden nanos = golden(() -> {
            TimeStampNanoVector v = new TimeStampNanoVector("c", allocator);
            v.allocateNew(1);
            v.set(0, 1_706_703_296_000_000_001L);
            return filled(v, 1);
        });
        assertThat(nanos.csv()).containsExactly("2024-01-31T12:14:56.000000001");
        assertThat(List.of(seconds.type(), millis.type(), nanos.type()))
                .containsExactly("TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS");
    }

    @Test
    void intervalsAreIsoDurations() {
        Golden golden = golden(() -> {
            IntervalMonthDayNanoVector v = new IntervalMonthDayNanoVector("c", allocator);
            v.allocateNew(5);
            v.set(0, 14, 3, 14_706_500_000_000L);
            v.set(1, 0, 0, 0);
            v.set(2, -13, 0, -500_000_000L);
            v.set(3, 0, 1, 0);
            v.set(4, 0, 0, 3_600_000_000_000L);
            return filled(v, 5);
        });
        assertThat(golden.csv()).containsExactly("P1Y2M3DT4H5M6.500S", "PT0S", "P-1Y-1MT-0.500S", "P1D", "PT1H");
        assertThat(golden.type()).isEqualTo("INTERVAL");
        Golden duration = golden(() -> {
            DurationVector v = new DurationVector(
                    new Field("c", FieldType.nullable(new ArrowType.Duration(TimeUnit.MICROSECOND)), null), allocator);
            v.allocateNew(1);
            v.set(0, -1_500_000L);
            return filled(v, 1);
        });
        assertThat(duration.csv()).containsExactly("PT-1.5S");
    }
}
