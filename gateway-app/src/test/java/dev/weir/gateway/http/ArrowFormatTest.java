package dev.weir.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.gateway.query.BufferCompression;
import dev.weir.gateway.query.EveryType;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import org.apache.arrow.compression.CommonsCompressionFactory;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.TinyIntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryEncoder;
import org.apache.arrow.vector.dictionary.DictionaryProvider.MapDictionaryProvider;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The Arrow stream as another reader sees it. */
class ArrowFormatTest {

    private static final byte[] END_OF_STREAM = {-1, -1, -1, -1, 0, 0, 0, 0};

    private final BufferAllocator allocator = new RootAllocator();

    @AfterEach
    void everythingIsGivenBack() {
        allocator.close();
    }

    @Test
    void aReaderGetsEveryBatchAndTheEnd() throws Exception {
        byte[] body = Encoded.bytes(ResultFormat.ARROW, FakeResult.numbers(allocator, 3, 5000), 4096);

        assertThat(Arrays.copyOfRange(body, body.length - 8, body.length)).isEqualTo(END_OF_STREAM);
        long next = 0;
        int batches = 0;
        try (ArrowStreamReader reader = new ArrowStreamReader(new ByteArrayInputStream(body), allocator)) {
            while (reader.loadNextBatch()) {
                batches++;
                BigIntVector n = (BigIntVector) reader.getVectorSchemaRoot().getVector("n");
                for (int i = 0; i < n.getValueCount(); i++) {
                    assertThat(n.get(i)).isEqualTo(next++);
                }
            }
            assertThat(reader.bytesRead()).isEqualTo(body.length);
        }
        assertThat(batches).isEqualTo(3);
        assertThat(next).isEqualTo(15_000);
    }

    @Test
    void anEmptyResultIsItsSchemaAndTheEnd() throws Exception {
        byte[] body = Encoded.bytes(ResultFormat.ARROW, FakeResult.numbers(allocator, 0, 0), 4096);

        try (ArrowStreamReader reader = new ArrowStreamReader(new ByteArrayInputStream(body), allocator)) {
            assertThat(reader.getVectorSchemaRoot().getSchema().findField("n")).isNotNull();
            assertThat(reader.loadNextBatch()).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {17, 100, 4096, 1 << 20})
    void aBatchThatCameEncodedGivesTheSameBytesAsItsVectors(int chunkBytes) {
        byte[] decoded = Encoded.bytes(ResultFormat.ARROW, everyType(), chunkBytes);
        FakeResult result = everyType().encoded(allocator);

        byte[] relayed = Encoded.bytes(ResultFormat.ARROW, result, chunkBytes);

        assertThat(Arrays.mismatch(relayed, decoded))
                .as("first byte that differs")
                .isEqualTo(-1);
        assertThat(result.relayed).hasSize(3).allMatch(batch -> batch.closes() == 1);
    }

    @ParameterizedTest
    @EnumSource(BufferCompression.class)
    void compressedBuffersHoldTheSameCells(BufferCompression compression) throws Exception {
        byte[] plain = Encoded.bytes(ResultFormat.ARROW, everyType(), 4096);
        byte[] body = Encoded.compressed(everyType(), 4096, batch -> compression.compress(batch, allocator));

        assertThat(cells(body)).isEqualTo(cells(plain)).hasSizeGreaterThan(2);
        assertThat(body.length < plain.length).isEqualTo(compression != BufferCompression.NONE);
    }

    private List<List<String>> cells(byte[] body) throws Exception {
        List<List<String>> cells = new ArrayList<>();
        try (ArrowStreamReader reader =
                new ArrowStreamReader(new ByteArrayInputStream(body), allocator, CommonsCompressionFactory.INSTANCE)) {
            while (reader.loadNextBatch()) {
                cells.add(EveryType.cells(reader.getVectorSchemaRoot()));
            }
        }
        return cells;
    }

    private FakeResult everyType() {
        VectorSchemaRoot root = VectorSchemaRoot.create(EveryType.SCHEMA, allocator);
        return new FakeResult(root, (r, index) -> {
            EveryType.fill(r, 7 + 1000 * (index % 2));
            return index < 3;
        });
    }

    @Test
    void anEncodedBatchWithoutRowsIsLeftOutAndGivenBack() {
        byte[] none = Encoded.bytes(ResultFormat.ARROW, FakeResult.numbers(allocator, 0, 0), 4096);
        FakeResult empty = FakeResult.numbers(allocator, 2, 0).encoded(allocator);

        assertThat(Encoded.bytes(ResultFormat.ARROW, empty, 4096)).isEqualTo(none);
        assertThat(empty.relayed).hasSize(2);
    }

    @Test
    void formatsThatWriteValuesDecode() {
        FakeResult result = FakeResult.numbers(allocator, 2, 3).encoded(allocator);

        assertThat(Encoded.text(ResultFormat.CSV, result)).contains("5");
        assertThat(result.relayed).isEmpty();
    }

    @Test
    void aBodyThatEndsTooSoonFails() {
        FakeResult result = FakeResult.numbers(allocator, 1, 100).encoded(allocator);
        ChunkOutput out = new ChunkOutput(UnpooledByteBufAllocator.DEFAULT, 64);
        try (LoadedResult loaded =
                LoadedResult.of(result, allocator, true).toCompletableFuture().join()) {
            ArrowEncoder encoder =
                    new ArrowEncoder(out, result.schema(), result.dictionaries(), UnaryOperator.identity());
            encoder.batch(loaded.encoded(), result.dictionaries());
            result.relayed.get(0).cut(50);
            assertThatThrownBy(() -> {
                        while (!encoder.encode()) {
                            out.pollFull().release();
                        }
                    })
                    .hasMessageContaining("ends before its time");
            encoder.close();
            out.release();
        }
    }

    @ParameterizedTest
    @CsvSource({"false,NONE", "true,NONE", "false,ZSTD", "false,LZ4"})
    void dictionariesGoOnceAndAgainWhenTheyChange(boolean encodedBatches, BufferCompression compression)
            throws Exception {
        DictionaryEncoding encoding = new DictionaryEncoding(4, false, new ArrowType.Int(8, true));
        try (VarCharVector values = new VarCharVector("values", allocator)) {
            texts(values, "red", "green");
            TinyIntVector index =
                    new TinyIntVector("c", new FieldType(true, encoding.getIndexType(), encoding), allocator);
            VectorSchemaRoot root = VectorSchemaRoot.of(index);
            FakeResult result = new FakeResult(root, (r, batch) -> {
                        if (batch == 2) {
                            texts(values, "blue", "white");
                        }
                        index.allocateNew(2);
                        index.set(0, 1);
                        index.set(1, 0);
                        r.setRowCount(2);
                        return batch < 3;
                    })
                    .with(new MapDictionaryProvider(new Dictionary(values, encoding)));

            byte[] body = Encoded.compressed(
                    encodedBatches ? result.encoded(allocator) : result,
                    1 << 16,
                    batch -> compression.compress(batch, allocator));

            List<String> decoded = new ArrayList<>();
            try (ArrowStreamReader reader = new ArrowStreamReader(new ByteArrayInputStream(body), allocator)) {
                while (reader.loadNextBatch()) {
                    var encoded = reader.getVectorSchemaRoot().getVector("c");
                    try (var plain = DictionaryEncoder.decode(encoded, reader.lookup(4))) {
                        decoded.add(plain.getObject(0) + " " + plain.getObject(1));
                    }
                }
            }
            assertThat(decoded).containsExactly("green red", "green red", "white blue");
            assertThat(occurrences(body, "red")).isOne();
        }
    }

    private static void texts(VarCharVector vector, String... texts) {
        vector.allocateNew(texts.length);
        for (int i = 0; i < texts.length; i++) {
            vector.setSafe(i, texts[i].getBytes(StandardCharsets.UTF_8));
        }
        vector.setValueCount(texts.length);
    }

    private static int occurrences(byte[] body, String text) {
        String all = new String(body, StandardCharsets.ISO_8859_1);
        return all.split(text, -1).length - 1;
    }
}
