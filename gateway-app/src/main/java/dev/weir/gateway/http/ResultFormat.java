package dev.weir.gateway.http;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.springframework.http.MediaType;

/** The formats of a result, in the order of preference when a client takes several equally. */
enum ResultFormat {
    JSON(new MediaType("application", "json"), "application/json", 256 << 10),
    ARROW(
            new MediaType("application", "vnd.apache.arrow.stream"),
            "application/vnd.apache.arrow.stream",
            // 1 MiB measured fastest for Arrow; a text format is bound by its own encoding.
            1 << 20),
    NDJSON(new MediaType("application", "x-ndjson"), "application/x-ndjson", 256 << 10),
    CSV(new MediaType("text", "csv"), "text/csv; charset=utf-8; header=present", 256 << 10);

    private final MediaType mediaType;
    private final String contentType;
    private final int chunkBytes;

    ResultFormat(MediaType mediaType, String contentType, int chunkBytes) {
        this.mediaType = mediaType;
        this.contentType = contentType;
        this.chunkBytes = chunkBytes;
    }

    /** For metrics. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    MediaType mediaType() {
        return mediaType;
    }

    /** Value of the Content-Type header. */
    String contentType() {
        return contentType;
    }

    /** Largest chunk handed to the connection at once, in bytes. */
    int chunkBytes() {
        return chunkBytes;
    }

    /**
     * Whether batches can go into this format as they came.
     *
     * @param rowLimit of the answer; a batch that must be cut is decoded
     */
    boolean takesEncoded(long rowLimit) {
        return this == ARROW && rowLimit == Long.MAX_VALUE;
    }

    /** All media types, for messages. */
    static String offered() {
        return Arrays.stream(values()).map(f -> f.mediaType.toString()).collect(Collectors.joining(", "));
    }
}
