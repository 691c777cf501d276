package dev.weir.gateway.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Encodes a hand-made result without a server. */
final class Encoded {

    private Encoded() {}

    /** The whole body, from chunks of at most {@code chunkBytes}. */
    static byte[] bytes(ResultFormat format, FakeResult result, int chunkBytes) {
        ChunkOutput out = new ChunkOutput(UnpooledByteBufAllocator.DEFAULT, chunkBytes);
        boolean encoded = format.takesEncoded(Long.MAX_VALUE);
        LoadedResult loaded =
                LoadedResult.of(result, null, encoded).toCompletableFuture().join();
        ResultEncoder encoder = switch (format) {
            case JSON -> new JsonEncoder(out, "q1", result.schema());
            case ARROW -> new ArrowEncoder(out, result.schema(), result.dictionaries());
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
