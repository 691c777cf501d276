package dev.weir.gateway.flightsql;

import com.google.protobuf.ByteString;
import dev.weir.gateway.query.ErrorDetails;
import dev.weir.gateway.query.QuerySnapshot;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** How a polled query stands, as JSON in its info's metadata, in the words of the HTTP status; unknowns are left out. */
final class PollStatus {

    /** Longer metadata is none of ours. */
    private static final int MAX_BYTES = 4096;

    private static final JsonMapper MAPPER = JsonMapper.shared();

    private PollStatus() {}

    static ByteString json(QuerySnapshot query) {
        ByteString.Output bytes = ByteString.newOutput(256);
        try (JsonGenerator json = MAPPER.createGenerator(bytes)) {
            json.writeStartObject();
            json.writeStringProperty("queryId", query.id());
            json.writeStringProperty("state", query.state().name());
            if (query.position() != null) {
                json.writeNumberProperty("position", query.position());
            }
            if (query.waitReason() != null) {
                json.writeStringProperty("waitReason", query.waitReason());
            }
            ErrorDetails.Limit limit = query.waitLimit();
            if (limit != null) {
                json.writeObjectPropertyStart("limit");
                json.writeStringProperty("scope", limit.scope());
                json.writeStringProperty("name", limit.name());
                json.writeStringProperty("value", limit.value());
                json.writeEndObject();
            }
            if (query.predictedWait() != null) {
                json.writeNumberProperty(
                        "predictedWaitMs", query.predictedWait().toMillis());
            }
            json.writeEndObject();
        }
        return bytes.toByteString();
    }

    /** The query that such metadata names; null when it is other metadata. */
    static @Nullable String queryId(ByteString metadata) {
        if (metadata.isEmpty() || metadata.byteAt(0) != '{' || metadata.size() > MAX_BYTES) {
            return null;
        }
        try {
            JsonNode id = MAPPER.readTree(metadata.toByteArray()).get("queryId");
            return id != null && id.isString() ? id.stringValue() : null;
        } catch (JacksonException e) {
            return null;
        }
    }

    /** What of it is news to a client when it changes; the predicted wait alone is not, it changes all the time. */
    static String seen(QuerySnapshot query) {
        return query.state().name() + '/' + query.position() + '/' + query.waitReason();
    }
}
