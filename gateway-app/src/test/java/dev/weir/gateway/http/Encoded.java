package dev.weir.gateway.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.function.UnaryOperator;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;

/** Encodes a hand-made result without a server. */
final class Encoded {

    private Encoded() {}

    /** The whole body, from chunks of at most {@code chunkBytes}. */
    static byte[] bytes(ResultFormat format, FakeResult result, int chunkBytes) {
        return bytes(format, result, chunkBytes, UnaryOperator.identity());
    }

    /** The same, with an Arrow stream's batches compressed; such ones are pulled as vectors. */
    static byte[] compressed(FakeResult result, int chunkBytes, UnaryOperator<ArrowRecordBatch> compressor) {
        return bytes(ResultFormat.ARROW, result, chunkBytes, compressor);
    }

    private static byte[] bytes(
            ResultFormat format, FakeResult result, int chunkBytes, UnaryOperator<ArrowRecordBatch> compressor) {
        ChunkOutput out = new ChunkOutput(UnpooledByteBufAllocator.DEFAULT, chunkBytes);
        boolean encoded = format.takesEncoded(Long.MAX_VALUE);
        LoadedResult loaded =
                LoadedResult.of(result, null, encoded).toCompletableFuture().join();
        ResultEncoder encoder = switch (format) {
            case JSON -> new JsonEncoder(out, "q1", result.schema());
            case ARROW -> new ArrowEncoder(out, result.schema(), result.dictionaries(), compressor);
            case NDJSON -> new NdjsonEncoder(out, "q1", result.schema());
            case CSV -> new CsvEncoder(out, result.schema());
        };
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        try (ChunkSource source = new ChunkSource(loaded, encoder, out, Long.MAX_VALUE, encoded)) {
            while (!source.exhausted()) {
                ByteBuf chunk = source.next(() -> {}, failure -> {
                    throw failure;
                });
                if (chunk == null) {
                    Thread.onSpinWait();
                    continue;
                }
                if (chunk.readableBytes() > chunkBytes) {
                    throw new AssertionError("a chunk of " + chunk.readableBytes());
                }
                chunk.readBytes(body, chunk.readableBytes());
                chunk.release();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return body.toByteArray();
    }

    static String text(ResultFormat format, FakeResult result) {
        return new String(bytes(format, result, 1 << 16), StandardCharsets.UTF_8);
    }
}
