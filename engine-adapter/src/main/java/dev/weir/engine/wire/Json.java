package dev.weir.engine.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.IOException;

/** JSON of commands and control messages. What one side does not know it ignores. */
public final class Json {

    // Escaped, so that text which is not well-formed UTF-16 arrives as it was sent.
    private static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxStringLength(Wire.MAX_MESSAGE_BYTES)
                            .maxNestingDepth(2_000)
                            .build())
                    .build())
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .disable(SerializationFeature.FAIL_ON_EMPTY_BEANS)
            .defaultPropertyInclusion(
                    JsonInclude.Value.construct(JsonInclude.Include.NON_NULL, JsonInclude.Include.ALWAYS))
            .build();

    static final JsonNodeFactory NODES = MAPPER.getNodeFactory();

    private Json() {}

    static byte[] write(Object value) {
        try {
            return MAPPER.writeValueAsBytes(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("Not writable as JSON: " + value.getClass(), e);
        }
    }

    static JsonNode tree(Object value) {
        return MAPPER.valueToTree(value);
    }

    static <T> T read(JsonNode tree, Class<T> type) throws IOException {
        return MAPPER.treeToValue(tree, type);
    }

    /** @throws IOException when these bytes are nothing of that type */
    public static <T> T read(byte[] json, Class<T> type) throws IOException {
        T value = MAPPER.readValue(json, type);
        if (value == null) {
            throw new IOException("Null");
        }
        return value;
    }
}
