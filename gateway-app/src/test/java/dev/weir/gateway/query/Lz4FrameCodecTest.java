package dev.weir.gateway.query;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;
import net.jpountz.lz4.LZ4FrameInputStream;
import org.apache.arrow.compression.CommonsCompressionFactory;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.compression.CompressionCodec;
import org.apache.arrow.vector.compression.CompressionUtil;
import org.apache.arrow.vector.compression.CompressionUtil.CodecType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is written can be read by Arrow's codec and by a strict reader of frames. */
class Lz4FrameCodecTest {

    private static final int LENGTH = (int) CompressionUtil.SIZE_OF_UNCOMPRESSED_LENGTH;
    /** The largest block of a frame. */
    private static final int BLOCK = 4 << 20;

    private final BufferAllocator allocator = new RootAllocator();
    private final CompressionCodec codec = new Lz4FrameCodec();

    @AfterEach
    void everythingIsGivenBack() {
        allocator.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {64, (64 << 10) - 1, 64 << 10, (64 << 10) + 1, 1 << 20, BLOCK, BLOCK + 1, 2 * BLOCK + 17})
    void everySizeIsReadAsItWas(int bytes) throws Exception {
        byte[] plain = new byte[bytes];
        for (int i = 0; i < bytes; i++) {
            plain[i] = (byte) (i / 32);
        }
        byte[] sent = compressed(plain);
        assertThat(sent.length).isLessThan(bytes);
        assertReadable(sent, plain);
    }

    @Test
    void aBlockThatWouldGrowIsStoredAmongOthers() throws Exception {
        byte[] plain = new byte[3 * BLOCK];
        byte[] noise = noise(BLOCK);
        System.arraycopy(noise, 0, plain, BLOCK, BLOCK);
        byte[] sent = compressed(plain);
        assertThat(sent.length).isBetween(BLOCK, BLOCK + BLOCK / 8);
        assertReadable(sent, plain);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 8, 1000, BLOCK + 1})
    void aBufferThatWouldGrowGoesAsItIs(int bytes) {
        byte[] plain = noise(bytes);
        byte[] sent = compressed(plain);
        assertThat(length(sent)).isEqualTo(CompressionUtil.NO_COMPRESSION_LENGTH);
        assertThat(Arrays.copyOfRange(sent, LENGTH, sent.length)).isEqualTo(plain);
        assertThat(decompressed(sent)).isEqualTo(plain);
    }

    @Test
    void anEmptyBufferStaysEmpty() {
        assertThat(length(compressed(new byte[0]))).isZero();
    }

    private void assertReadable(byte[] sent, byte[] plain) throws IOException {
        assertThat(length(sent)).isEqualTo(plain.length);
        assertThat(Arrays.equals(decompressed(sent), plain)).isTrue();
        try (LZ4FrameInputStream in =
                new LZ4FrameInputStream(new ByteArrayInputStream(sent, LENGTH, sent.length - LENGTH))) {
            assertThat(Arrays.equals(in.readAllBytes(), plain)).isTrue();
        }
    }

    private byte[] compressed(byte[] plain) {
        return bytes(codec.compress(allocator, buffer(plain)));
    }

    private byte[] decompressed(byte[] sent) {
        CompressionCodec arrows = CommonsCompressionFactory.INSTANCE.createCodec(CodecType.LZ4_FRAME);
        return bytes(arrows.decompress(allocator, buffer(sent)));
    }

    private ArrowBuf buffer(byte[] bytes) {
        ArrowBuf buffer = allocator.buffer(bytes.length);
        buffer.writeBytes(bytes);
        return buffer;
    }

    private static byte[] bytes(ArrowBuf buffer) {
        try (buffer) {
            byte[] bytes = new byte[(int) buffer.writerIndex()];
            buffer.getBytes(0, bytes);
            return bytes;
        }
    }

    private static long length(byte[] sent) {
        return ByteBuffer.wrap(sent).order(ByteOrder.LITTLE_ENDIAN).getLong(0);
    }

    private static byte[] noise(int bytes) {
        byte[] noise = new byte[bytes];
        new Random(7).nextBytes(noise);
        return noise;
    }
}
