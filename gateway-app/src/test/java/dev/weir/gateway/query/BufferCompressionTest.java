package dev.weir.gateway.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.util.List;
import org.apache.arrow.compression.CommonsCompressionFactory;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.OutOfMemoryException;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorLoader;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.ipc.ReadChannel;
import org.apache.arrow.vector.ipc.WriteChannel;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Compression of single batches; closing the allocators fails when memory was not given back. */
class BufferCompressionTest {

    private final BufferAllocator engine = new RootAllocator();
    private final BufferAllocator own = new RootAllocator();

    @AfterEach
    void everythingIsGivenBack() {
        own.close();
        engine.close();
    }

    @ParameterizedTest
    @EnumSource(BufferCompression.class)
    void aBatchIsTheSameAfterwardsAndItsVectorsStay(BufferCompression compression) throws Exception {
        for (int rows : new int[] {0, 1, 1000}) {
            try (VectorSchemaRoot root = VectorSchemaRoot.create(EveryType.SCHEMA, engine);
                    VectorSchemaRoot copy = VectorSchemaRoot.create(EveryType.SCHEMA, own)) {
                EveryType.fill(root, rows);
                List<String> cells = EveryType.cells(root);
                byte[] message;
                try (ArrowRecordBatch batch = compression.compress(new VectorUnloader(root).getRecordBatch(), own)) {
                    message = written(batch);
                }
                try (ArrowRecordBatch batch = read(message)) {
                    new VectorLoader(copy, CommonsCompressionFactory.INSTANCE).load(batch);
                }
                assertThat(EveryType.cells(copy)).isEqualTo(cells);
                assertThat(EveryType.cells(root)).isEqualTo(cells);
            }
        }
    }

    private static byte[] written(ArrowRecordBatch batch) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        MessageSerializer.serialize(new WriteChannel(Channels.newChannel(bytes)), batch);
        return bytes.toByteArray();
    }

    private ArrowRecordBatch read(byte[] message) throws IOException {
        ReadChannel channel = new ReadChannel(Channels.newChannel(new ByteArrayInputStream(message)));
        return (ArrowRecordBatch) MessageSerializer.deserializeMessageBatch(channel, own);
    }

    @ParameterizedTest
    @EnumSource(value = BufferCompression.class, mode = Mode.EXCLUDE, names = "NONE")
    void withoutMemoryItFailsAndKeepsNothing(BufferCompression compression) {
        long needed;
        try (VectorSchemaRoot root = VectorSchemaRoot.create(EveryType.SCHEMA, engine)) {
            EveryType.fill(root, 1000);
            try (ArrowRecordBatch batch = compression.compress(new VectorUnloader(root).getRecordBatch(), own)) {
                needed = batch.getBuffers().stream()
                        .mapToLong(ArrowBuf::capacity)
                        .sum();
            }
            // Fails at the first buffer, in the middle and near the end.
            for (long limit : new long[] {0, needed / 2, needed - 64}) {
                try (BufferAllocator little = own.newChildAllocator("little", 0, limit)) {
                    assertThatThrownBy(() -> compression.compress(new VectorUnloader(root).getRecordBatch(), little))
                            .isInstanceOf(OutOfMemoryException.class);
                    assertThat(little.getAllocatedMemory()).isZero();
                }
            }
        }
    }

    @Test
    void namesAreReadInAnyCase() {
        assertThat(BufferCompression.of("ZStd")).contains(BufferCompression.ZSTD);
        assertThat(BufferCompression.of("lz4")).contains(BufferCompression.LZ4);
        assertThat(BufferCompression.of("none")).contains(BufferCompression.NONE);
        assertThat(BufferCompression.of("gzip")).isEmpty();
        assertThat(BufferCompression.of("")).isEmpty();
    }
}
