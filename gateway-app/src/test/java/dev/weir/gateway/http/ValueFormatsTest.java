package dev.weir.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.gateway.query.GatewayException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.DurationVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.IntervalMonthDayNanoVector;
import org.apache.arrow.vector.LargeVarCharVector;
import org.apache.arrow.vector.NullVector;
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
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.MapVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.complex.UnionVector;
import org.apache.arrow.vector.complex.impl.UnionListWriter;
import org.apache.arrow.vector.complex.impl.UnionMapWriter;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryProvider.MapDictionaryProvider;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.UnionMode;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Golden texts of every type in JSON, NDJSON and CSV. */
class ValueFormatsTest {

    private final BufferAllocator allocator = new RootAllocator();

    @AfterEach
    void everythingIsGivenBack() {
        allocator.close();
    }

    /** The values of one column: JSON values, CSV fields and the column's type. */
    private record Golden(List<String> json, List<String> csv, String type) {}

    private Golden golden(java.util.function.Supplier<FieldVector> column) {
        return golden(column, new MapDictionaryProvider());
    }

    private Golden golden(java.util.function.Supplier<FieldVector> column, MapDictionaryProvider dictionaries) {
        String ndjson =
                Encoded.text(ResultFormat.NDJSON, FakeResult.of(column.get()).with(dictionaries));
        List<String> values = new ArrayList<>();
        for (String line : ndjson.split("\n", -1)) {
            if (!line.isEmpty()) {
                assertThat(line).startsWith("{\"c\":").endsWith("}");
                values.add(line.substring(5, line.length() - 1));
            }
        }
        String json =
                Encoded.text(ResultFormat.JSON, FakeResult.of(column.get()).with(dictionaries));
        String data = values.stream().map(v -> "[" + v + "]").collect(java.util.stream.Collectors.joining(","));
        assertThat(json).contains("\"data\":[" + data + "],\"rowCount\":" + values.size());
        String type =
                json.replaceAll("(?s).*\"type\":\"(.*)\",\"nullable\".*", "$1").replace("\\\"", "\"");
        String csv = Encoded.text(ResultFormat.CSV, FakeResult.of(column.get()).with(dictionaries));
        assertThat(csv).startsWith("c\r\n").endsWith("\r\n");
        List<String> fields = List.of(csv.substring(3, csv.length() - 2).split("\r\n", -1));
        return new Golden(values, fields, type);
    }

    private static <V extends FieldVector> V filled(V vector, int count) {
        vector.setValueCount(count);
        return vector;
    }

    private FieldType type(ArrowType type, Map<String, String> metadata) {
        return new FieldType(true, type, null, metadata);
    }

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

    @Test
    void enumsAreTheirTexts() {
        DictionaryEncoding encoding = new DictionaryEncoding(1, false, new ArrowType.Int(8, true));
        try (VarCharVector values = new VarCharVector("values", allocator)) {
            values.allocateNew(2);
            values.setSafe(0, "red".getBytes(StandardCharsets.UTF_8));
            values.setSafe(1, "a,b".getBytes(StandardCharsets.UTF_8));
            values.setValueCount(2);
            MapDictionaryProvider provider = new MapDictionaryProvider(new Dictionary(values, encoding));
            Golden golden = golden(
                    () -> {
                        TinyIntVector v = new TinyIntVector(
                                "c", new FieldType(true, encoding.getIndexType(), encoding), allocator);
                        v.allocateNew(3);
                        v.set(0, 1);
                        v.set(1, 0);
                        v.setNull(2);
                        return filled(v, 3);
                    },
                    provider);
            assertThat(golden)
                    .isEqualTo(
                            new Golden(List.of("\"a,b\"", "\"red\"", "null"), List.of("\"a,b\"", "red", ""), "ENUM"));
        }
    }

    @Test
    void listsAreArraysAndJsonInCsv() {
        Golden golden = golden(() -> {
            ListVector v = ListVector.empty("c", allocator);
            UnionListWriter writer = v.getWriter();
            writer.allocate();
            writer.setPosition(0);
            writer.startList();
            writer.bigInt().writeBigInt(1);
            writer.bigInt().writeNull();
            writer.bigInt().writeBigInt(9007199254740992L);
            writer.endList();
            writer.setPosition(1);
            writer.startList();
            writer.endList();
            writer.setPosition(2);
            writer.writeNull();
            writer.setValueCount(3);
            return filled(v, 3);
        });
        assertThat(golden)
                .isEqualTo(new Golden(
                        List.of("[1,null,\"9007199254740992\"]", "[]", "null"),
                        List.of("\"[1,null,\"\"9007199254740992\"\"]\"", "[]", ""),
                        "BIGINT[]"));
    }

    @Test
    void arraysOfAFixedSizeAreArrays() {
        Golden golden = golden(() -> {
            FixedSizeListVector v = FixedSizeListVector.empty("c", 2, allocator);
            IntVector items = (IntVector) v.addOrGetVector(FieldType.nullable(new ArrowType.Int(32, true)))
                    .getVector();
            v.allocateNew();
            items.setSafe(0, 1);
            items.setSafe(1, 2);
            items.setSafe(2, 3);
            items.setSafe(3, 4);
            v.setNotNull(0);
            v.setNotNull(1);
            items.setValueCount(4);
            return filled(v, 2);
        });
        assertThat(golden)
                .isEqualTo(new Golden(List.of("[1,2]", "[3,4]"), List.of("\"[1,2]\"", "\"[3,4]\""), "INTEGER[2]"));
    }

    @Test
    void structsAreObjectsAlsoInsideEachOther() {
        Golden golden = golden(() -> {
            StructVector v = StructVector.empty("c", allocator);
            IntVector a = v.addOrGet("a", FieldType.nullable(new ArrowType.Int(32, true)), IntVector.class);
            StructVector b = v.addOrGet("b \"x\"", FieldType.nullable(new ArrowType.Struct()), StructVector.class);
            VarCharVector s = b.addOrGet("s", FieldType.nullable(new ArrowType.Utf8()), VarCharVector.class);
            v.allocateNew();
            a.setSafe(0, 7);
            s.setSafe(0, "\u00e9".getBytes(StandardCharsets.UTF_8));
            b.setIndexDefined(0);
            v.setIndexDefined(0);
            a.setValueCount(2);
            b.setValueCount(2);
            v.setNull(1);
            return filled(v, 2);
        });
        assertThat(golden.json()).containsExactly("{\"a\":7,\"b \\\"x\\\"\":{\"s\":\"\u00e9\"}}", "null");
        assertThat(golden.csv())
                .containsExactly("\"{\"\"a\"\":7,\"\"b \\\"\"x\\\"\"\"\":{\"\"s\"\":\"\"\u00e9\"\"}}\"", "");
        assertThat(golden.type())
                .isEqualTo("STRUCT(\"a\" INTEGER, \"b \\\"\"x\\\"\"\" STRUCT(\"s\" VARCHAR))".replace("\\", ""));
    }

    @Test
    void mapsAreArraysOfPairs() {
        Golden golden = golden(() -> {
            MapVector v = MapVector.empty("c", allocator, false);
            UnionMapWriter writer = v.getWriter();
            writer.allocate();
            writer.setPosition(0);
            writer.startMap();
            writer.startEntry();
            writer.key().integer().writeInt(1);
            writer.value().integer().writeInt(10);
            writer.endEntry();
            writer.startEntry();
            writer.key().integer().writeInt(2);
            writer.value().integer().writeNull();
            writer.endEntry();
            writer.endMap();
            writer.setValueCount(1);
            return filled(v, 1);
        });
        assertThat(golden)
                .isEqualTo(new Golden(
                        List.of("[[1,10],[2,null]]"), List.of("\"[[1,10],[2,null]]\""), "MAP(INTEGER, INTEGER)"));
    }

    @Test
    void unionsAreTheirMember() {
        // As an engine sends them: type ids are positions, which is not what the vector's own field says.
        Field a = new Field("a", FieldType.nullable(new ArrowType.Int(32, true)), null);
        Field b = new Field("b", FieldType.nullable(new ArrowType.Int(32, true)), null);
        FieldType type = FieldType.nullable(new ArrowType.Union(UnionMode.Sparse, new int[] {0, 1}));
        Field field = new Field("c", type, List.of(a, b));
        UnionVector v = new UnionVector("c", allocator, type, null);
        v.initializeChildrenFromFields(List.of(a, b));
        v.allocateNew();
        for (int i = 0; i < 2; i++) {
            IntVector member = (IntVector) v.getChildrenFromFields().get(i);
            member.allocateNew(3);
            member.set(i, 10 + i);
            member.setValueCount(3);
        }
        v.setValueCount(3);
        v.getTypeBuffer().setByte(0, 0);
        v.getTypeBuffer().setByte(1, 1);
        v.getTypeBuffer().setByte(2, 0);
        VectorSchemaRoot root = new VectorSchemaRoot(new Schema(List.of(field)), List.of(v), 3);

        assertThat(Encoded.text(ResultFormat.NDJSON, FakeResult.of(root)))
                .isEqualTo("{\"c\":10}\n{\"c\":11}\n{\"c\":null}\n");
    }

    @Test
    void aColumnOfNothingIsNull() {
        Golden golden = golden(() -> filled(new NullVector("c"), 2));
        assertThat(golden).isEqualTo(new Golden(List.of("null", "null"), List.of("", ""), "NULL"));
    }

    @Test
    void columnsOfOneNameKeepAllValuesInNdjson() {
        BigIntVector[] columns = new BigIntVector[4];
        String[] names = {"a", "a", "a_2", "a"};
        for (int i = 0; i < columns.length; i++) {
            columns[i] = new BigIntVector(names[i], allocator);
            columns[i].allocateNew(1);
            columns[i].set(0, i);
            columns[i].setValueCount(1);
        }
        assertThat(Encoded.text(ResultFormat.NDJSON, FakeResult.of(columns)))
                .isEqualTo("{\"a\":0,\"a_3\":1,\"a_2\":2,\"a_4\":3}\n");
    }

    @Test
    void anEmptyResultHasItsColumns() {
        assertThat(Encoded.text(ResultFormat.JSON, FakeResult.numbers(allocator, 0, 0)))
                .isEqualTo("{\"queryId\":\"q1\",\"columns\":[{\"name\":\"n\",\"type\":\"BIGINT\",\"nullable\":true}],"
                        + "\"data\":[],\"rowCount\":0,\"truncated\":false}\n");
        assertThat(Encoded.text(ResultFormat.CSV, FakeResult.numbers(allocator, 0, 0)))
                .isEqualTo("n\r\n");
        assertThat(Encoded.text(ResultFormat.NDJSON, FakeResult.numbers(allocator, 0, 0)))
                .isEmpty();
    }

    @Test
    void chunksOfAnySizeGiveTheSameBody() {
        Map<ResultFormat, byte[]> whole = new HashMap<>();
        for (ResultFormat format : ResultFormat.values()) {
            whole.put(format, Encoded.bytes(format, FakeResult.numbers(allocator, 3, 700), 1 << 20));
        }
        for (int chunk : new int[] {1, 7, 64, 1000, 8000, 8192}) {
            for (ResultFormat format : ResultFormat.values()) {
                assertThat(Encoded.bytes(format, FakeResult.numbers(allocator, 3, 700), chunk))
                        .as("%s in chunks of %s", format, chunk)
                        .isEqualTo(whole.get(format));
            }
        }
    }

    @Test
    void aTypeWithoutTextFormIsRefusedByName() {
        FieldVector odd = new org.apache.arrow.vector.complex.LargeListViewVector(
                "odd", allocator, FieldType.nullable(new ArrowType.LargeListView()), null);
        FakeResult result = FakeResult.of(odd);
        result.root().setRowCount(1);
        assertThatThrownBy(() -> Encoded.text(ResultFormat.CSV, result))
                .isInstanceOf(GatewayException.class)
                .hasMessageContaining("odd")
                .hasMessageContaining("application/vnd.apache.arrow.stream");
    }
}
