package dev.weir.gateway.http;

import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.json.JsonFactory;

/** How this front writes JSON. */
final class JsonFormat {

    /** One value a line where several follow each other; never closes or flushes what it writes to. */
    static final JsonFactory FACTORY = JsonFactory.builder()
            .rootValueSeparator("\n")
            .enable(StreamWriteFeature.USE_FAST_DOUBLE_WRITER)
            .disable(StreamWriteFeature.AUTO_CLOSE_TARGET)
            .disable(StreamWriteFeature.AUTO_CLOSE_CONTENT)
            .build();

    private JsonFormat() {}
}
