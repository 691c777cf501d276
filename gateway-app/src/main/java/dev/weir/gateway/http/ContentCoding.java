package dev.weir.gateway.http;

import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;

/** Codings of an answer's body. */
enum ContentCoding {
    IDENTITY(""),
    GZIP("gzip"),
    ZSTD("zstd");

    private final String token;

    ContentCoding(String token) {
        this.token = token;
    }

    /** Value of the Content-Encoding header. */
    String token() {
        return token;
    }

    /** A compressor for one body, or null for identity. */
    @Nullable
    ChunkCompressor compressor(ByteBufAllocator allocator) {
        return switch (this) {
            case IDENTITY -> null;
            case GZIP -> new GzipCompressor(allocator);
            case ZSTD -> new ZstdCompressor(allocator);
        };
    }
}
