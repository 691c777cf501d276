package dev.weir.gateway.flightsql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.apache.arrow.flight.impl.Flight;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.*;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryEncoder;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;
import org.apache.arrow.vector.types.IntervalUnit;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ParameterDecoderTest {

    private final BufferAllocator allocator = new RootAllocator();

    @AfterEach
    void close() {
        assertThat(allocator.getAllocatedMemory()).isZero();
        allocator.close();
    }

    @Test
    void everyTypeBecomesItsJavaValue() throws Exception {
        Map<FieldVector, Object> expected = new HashMap<>();
        expected.put(set(new BitVector("bit", allocator), v -> v.setSafe(0, 1)), true);
        expected.put(set(new TinyIntVector("int8", allocator), v -> v.setSafe(0, -5)), (byte) -5);
        expected.put(set(new SmallIntVector("int16", allocator), v -> v.setSafe(0, -500)), (short) -500);
        expected.put(set(new IntVector("int32", allocator), v -> v.setSafe(0, -70_000)), -70_000);
        expected.put(set(new BigIntVector("int64", allocator), v -> v.setSafe(0, Long.MIN_VALUE)), Long.MIN_VALUE);
        expected.put(set(new UInt1Vector("uint8", allocator), v -> v.setSafe(0, 255)), (short) 255);
        expected.put(set(new UInt2Vector("uint16", allocator), v -> v.setSafe(0, 65_535)), 65_535);
        expected.put(set(new UInt4Vector("uint32", allocator), v -> v.setSafe(0, -1)), 0xffff_ffffL);
        expected.put(
                set(new UInt8Vector("uint64", allocator), v -> v.setSafe(0, -1)),
                new BigInteger("18446744073709551615"));
        expected.put(set(new Float2Vector("half", allocator), v -> v.setSafeWithPossibleTruncate(0, 1.5f)), 1.5f);
        expected.put(set(new Float4Vector("float", allocator), v -> v.setSafe(0, 1.25f)), 1.25f);
        expected.put(set(new Float8Vector("double", allocator), v -> v.setSafe(0, 0.1)), 0.1);
        expected.put(
                set(new DecimalVector("decimal", allocator, 38, 3), v -> v.setSafe(0, new BigDecimal("-12.345"))),
                new BigDecimal("-12.345"));
        expected.put(
                set(new Decimal256Vector("decimal256", allocator, 50, 1), v -> v.setSafe(0, new BigDecimal("1.5"))),
                new BigDecimal("1.5"));
        expected.put(set(new VarCharVector("text", allocator), v -> v.setSafe(0, utf8("grün"))), "grün");
        expected.put(set(new LargeVarCharVector("large", allocator), v -> v.setSafe(0, utf8("groß"))), "groß");
        expected.put(
                set(new ViewVarCharVector("view", allocator), v -> v.setSafe(0, utf8("a view of a text"))),
                "a view of a text");
        expected.put(set(new DateDayVector("date", allocator), v -> v.setSafe(0, -1)), LocalDate.of(1969, 12, 31));
        expected.put(
                set(new DateMilliVector("date64", allocator), v -> v.setSafe(0, -86_400_000L)),
                LocalDate.of(1969, 12, 31));
        expected.put(set(new TimeSecVector("time-s", allocator), v -> v.setSafe(0, 61)), LocalTime.of(0, 1, 1));
        expected.put(
                set(new TimeMilliVector("time-ms", allocator), v -> v.setSafe(0, 1)), LocalTime.of(0, 0, 0, 1_000_000));
        expected.put(
                set(new TimeMicroVector("time-us", allocator), v -> v.setSafe(0, 1)), LocalTime.of(0, 0, 0, 1_000));
        expected.put(set(new TimeNanoVector("time-ns", allocator), v -> v.setSafe(0, 1)), LocalTime.of(0, 0, 0, 1));
        LocalDateTime before = LocalDateTime.of(1969, 12, 31, 23, 59, 59);
        expected.put(set(new TimeStampSecVector("ts-s", allocator), v -> v.setSafe(0, -1)), before);
        expected.put(
                set(new TimeStampMilliVector("ts-ms", allocator), v -> v.setSafe(0, -1)), before.withNano(999_000_000));
        expected.put(
                set(new TimeStampMicroVector("ts-us", allocator), v -> v.setSafe(0, -1)), before.withNano(999_999_000));
        expected.put(
                set(new TimeStampNanoVector("ts-ns", allocator), v -> v.setSafe(0, -1)), before.withNano(999_999_999));
        expected.put(
                set(new TimeStampMicroTZVector("tstz", allocator, "Europe/Berlin"), v -> v.setSafe(0, 0)),
                OffsetDateTime.of(1970, 1, 1, 0, 0, 0, 0, ZoneOffset.UTC));
        expected.put(
                set(
                        new DurationVector(
                                "duration",
                                FieldType.nullable(new ArrowType.Duration(TimeUnit.MILLISECOND)),
                                allocator),
                        v -> v.setSafe(0, 1_500)),
                Duration.ofMillis(1_500));
        expected.put(
                set(new IntervalDayVector("day-time", allocator), v -> v.setSafe(0, 1, 5)),
                Duration.ofDays(1).plusMillis(5));
        expected.put(
                set(
                        new IntervalMonthDayNanoVector(
                                "month-day-nano", fieldType(IntervalUnit.MONTH_DAY_NANO), allocator),
                        v -> v.setSafe(0, 0, 2, 7)),
                Duration.ofDays(2).plusNanos(7));
        UUID uuid = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff");
        expected.put(
                set(
                        new FixedSizeBinaryVector(
                                "uuid",
                                new FieldType(
                                        true,
                                        new ArrowType.FixedSizeBinary(16),
                                        null,
                                        Map.of("ARROW:extension:name", "arrow.uuid")),
                                allocator),
                        v -> v.setSafe(0, uuidBytes(uuid))),
                uuid);
        expected.put(set(new NullVector("null"), v -> {}), null);
        expected.put(listOf(1, 2), List.of(1, 2));
        expected.put(fixedList(3, 4), List.of(3, 4));

        List<FieldVector> vectors = new ArrayList<>(expected.keySet());
        List<List<Object>> rows = decode(vectors, new DictionaryProvider.MapDictionaryProvider());

        for (int i = 0; i < vectors.size(); i++) {
            assertThat(rows.get(0).get(i)).as(vectors.get(i).getName()).isEqualTo(expected.get(vectors.get(i)));
        }
        vectors.forEach(FieldVector::close);
    }

    @Test
    void binariesAreBytes() throws Exception {
        byte[] bytes = {0, 1, -1};
        List<FieldVector> vectors = List.of(
                set(new VarBinaryVector("binary", allocator), v -> v.setSafe(0, bytes)),
                set(new LargeVarBinaryVector("large", allocator), v -> v.setSafe(0, bytes)),
                set(new FixedSizeBinaryVector("fixed", allocator, 3), v -> v.setSafe(0, bytes)));

        List<Object> row =
                decode(vectors, new DictionaryProvider.MapDictionaryProvider()).get(0);

        assertThat(row).allSatisfy(value -> assertThat((byte[]) value).isEqualTo(bytes));
        vectors.forEach(FieldVector::close);
    }

    @Test
    void dictionariesAreLookedUp() throws Exception {
        try (VarCharVector words = new VarCharVector("words", allocator);
                VarCharVector values = new VarCharVector("values", allocator)) {
            for (int i = 0; i < 3; i++) {
                words.setSafe(i, utf8("word" + i));
            }
            words.setValueCount(3);
            values.setSafe(0, utf8("word2"));
            values.setNull(1);
            values.setSafe(2, utf8("word0"));
            values.setValueCount(3);
            Dictionary dictionary = new Dictionary(words, new DictionaryEncoding(7, false, null));
            DictionaryProvider provider = new DictionaryProvider.MapDictionaryProvider(dictionary);
            FieldVector encoded = (FieldVector) DictionaryEncoder.encode(values, dictionary);

            assertThat(decode(List.of(encoded), provider))
                    .containsExactly(Arrays.asList("word2"), Arrays.asList((Object) null), Arrays.asList("word0"));
            encoded.close();
        }
    }

    @Test
    void whatCannotBeBoundIsNamed() throws Exception {
        StructVector struct = StructVector.empty("point", allocator);
        struct.addOrGet("x", FieldType.nullable(new ArrowType.Int(32, true)), IntVector.class);
        struct.setIndexDefined(0);
        struct.setValueCount(1);
        IntervalYearVector months = set(new IntervalYearVector("months", allocator), v -> v.setSafe(0, 3));

        for (FieldVector vector : List.of(struct, months)) {
            assertThatThrownBy(() -> decode(List.of(vector), new DictionaryProvider.MapDictionaryProvider()))
                    .isInstanceOfSatisfying(GatewayException.class, e -> {
                        assertThat(e.code()).isEqualTo(GatewayErrorCode.INVALID_REQUEST);
                        assertThat(e.text()).contains(vector.getName());
                    });
            vector.close();
        }
    }

    @Test
    void aPayloadComesBackFromItsBytes() throws Exception {
        try (BigIntVector vector = set(new BigIntVector("n", allocator), v -> v.setSafe(0, 42))) {
            ParameterPayload payload = payload(List.of(vector), new DictionaryProvider.MapDictionaryProvider());

            ParameterPayload back = ParameterPayload.of(payload.toBytes());

            assertThat(back).isEqualTo(payload);
            assertThat(ParameterDecoder.decode(back, allocator).values()).isEqualTo(List.of(List.of(42L)));
        }
    }

    /** Whatever bytes come: a clear refusal or values, and every buffer given back. */
    @Test
    void brokenBytesAreRefusedAndLeakNothing() throws Exception {
        List<FieldVector> vectors = List.of(
                set(new VarCharVector("text", allocator), v -> v.setSafe(0, utf8("some text"))),
                set(new BigIntVector("n", allocator), v -> v.setSafe(0, 42)),
                listOf(1, 2, 3));
        ParameterPayload payload = payload(vectors, new DictionaryProvider.MapDictionaryProvider());
        vectors.forEach(FieldVector::close);
        Random random = new Random(20260101);
        int refused = 0;
        for (int round = 0; round < 3_000; round++) {
            List<Flight.FlightData> broken = new ArrayList<>();
            for (Flight.FlightData message : payload.messages()) {
                broken.add(message.toBuilder()
                        .setDataHeader(damage(message.getDataHeader(), random))
                        .setDataBody(damage(message.getDataBody(), random))
                        .build());
            }
            try {
                ParameterDecoder.decode(new ParameterPayload(broken), allocator);
            } catch (GatewayException e) {
                assertThat(e.code()).isIn(GatewayErrorCode.INVALID_REQUEST, GatewayErrorCode.TOO_LARGE);
                refused++;
            }
            assertThat(allocator.getAllocatedMemory()).as("round " + round).isZero();
        }
        assertThat(refused).isPositive();
    }

    private static ByteString damage(ByteString bytes, Random random) {
        if (bytes.isEmpty() || random.nextInt(3) == 0) {
            return bytes;
        }
        byte[] copy = bytes.toByteArray();
        if (random.nextInt(4) == 0) {
            copy = Arrays.copyOf(copy, random.nextInt(copy.length));
        }
        for (int i = 0; i < 3 && copy.length > 0; i++) {
            copy[random.nextInt(copy.length)] = (byte) random.nextInt();
        }
        return ByteString.copyFrom(copy);
    }

    private List<List<Object>> decode(List<FieldVector> vectors, DictionaryProvider provider) throws Exception {
        return new ArrayList<>(
                ParameterDecoder.decode(payload(vectors, provider), allocator).values());
    }

    /** Messages as a client sends them, cut from an IPC stream. */
    private static ParameterPayload payload(List<FieldVector> vectors, DictionaryProvider provider) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        VectorSchemaRoot root = new VectorSchemaRoot(vectors);
        try (ArrowStreamWriter writer = new ArrowStreamWriter(root, provider, bytes)) {
            writer.start();
            writer.writeBatch();
            writer.end();
        }
        List<Flight.FlightData> messages = new ArrayList<>();
        ByteArrayInputStream in = new ByteArrayInputStream(bytes.toByteArray());
        while (true) {
            ByteBuffer prefix = ByteBuffer.wrap(in.readNBytes(8)).order(ByteOrder.LITTLE_ENDIAN);
            int headerLength = prefix.getInt(4);
            if (headerLength == 0) {
                return new ParameterPayload(messages);
            }
            byte[] header = in.readNBytes(headerLength);
            long bodyLength = org.apache.arrow.flatbuf.Message.getRootAsMessage(ByteBuffer.wrap(header))
                    .bodyLength();
            messages.add(Flight.FlightData.newBuilder()
                    .setDataHeader(ByteString.copyFrom(header))
                    .setDataBody(ByteString.copyFrom(in.readNBytes((int) bodyLength)))
                    .build());
        }
    }

    private static FieldType fieldType(IntervalUnit unit) {
        return FieldType.nullable(new ArrowType.Interval(unit));
    }

    private ListVector listOf(int... values) {
        ListVector list = ListVector.empty("list", allocator);
        list.addOrGetVector(FieldType.nullable(new ArrowType.Int(32, true)));
        IntVector items = (IntVector) list.getDataVector();
        list.startNewValue(0);
        for (int i = 0; i < values.length; i++) {
            items.setSafe(i, values[i]);
        }
        items.setValueCount(values.length);
        list.endValue(0, values.length);
        list.setValueCount(1);
        return list;
    }

    private FixedSizeListVector fixedList(int... values) {
        FixedSizeListVector list = FixedSizeListVector.empty("fixed-list", values.length, allocator);
        list.addOrGetVector(FieldType.nullable(new ArrowType.Int(32, true)));
        IntVector items = (IntVector) list.getDataVector();
        for (int i = 0; i < values.length; i++) {
            items.setSafe(i, values[i]);
        }
        list.setNotNull(0);
        list.setValueCount(1);
        return list;
    }

    private interface Setter<V> {
        void set(V vector);
    }

    private static <V extends FieldVector> V set(V vector, Setter<V> setter) {
        vector.allocateNew();
        setter.set(vector);
        vector.setValueCount(1);
        return vector;
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] uuidBytes(UUID uuid) {
        return ByteBuffer.allocate(16)
                .putLong(uuid.getMostSignificantBits())
                .putLong(uuid.getLeastSignificantBits())
                .array();
    }
}
