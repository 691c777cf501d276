package dev.weir.gateway.http;

import dev.weir.gateway.query.ErrorDetails;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import java.io.ByteArrayOutputStream;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;

/**
 * The body of an error answer: problem+json (RFC 9457).
 *
 * @param status HTTP status
 * @param code row of the error table
 * @param detail what was wrong, and what to do
 * @param sqlState five characters
 * @param retryable whether the same request may work later
 * @param details what else is known
 */
record Problem(
        int status, GatewayErrorCode code, String detail, String sqlState, boolean retryable, ErrorDetails details) {

    static final String MEDIA_TYPE = "application/problem+json";

    static Problem of(GatewayException failure, @Nullable String queryId) {
        return of(failure, failure.code().httpStatus(), queryId);
    }

    static Problem of(GatewayException failure, int status, @Nullable String queryId) {
        ErrorDetails details = failure.details();
        if (details.queryId() == null && queryId != null) {
            details = details.withQueryId(queryId);
        }
        GatewayErrorCode code = failure.code();
        boolean retryable = Objects.requireNonNullElse(details.retryable(), code.retryable());
        return new Problem(status, code, failure.text(), failure.sqlState(), retryable, details);
    }

    byte[] toBytes() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(512);
        try (JsonGenerator json = JsonFormat.FACTORY.createGenerator(ObjectWriteContext.empty(), bytes)) {
            write(json);
            json.writeRaw('\n');
        }
        return bytes.toByteArray();
    }

    void write(JsonGenerator json) {
        json.writeStartObject();
        json.writeStringProperty(
                "type", "urn:weir:error:" + code.name().toLowerCase(Locale.ROOT).replace('_', '-'));
        json.writeStringProperty("title", title());
        json.writeNumberProperty("status", status);
        json.writeStringProperty("detail", detail);
        json.writeStringProperty("code", code.name());
        StatusJson.text(json, "queryId", details.queryId());
        json.writeBooleanProperty("retryable", retryable);
        json.writeBooleanProperty("started", code.started());
        ErrorDetails.Limit limit = details.limit();
        if (limit != null) {
            StatusJson.limit(json, limit);
        }
        if (details.predictedWait() != null) {
            json.writeNumberProperty("predictedWaitMs", details.predictedWait().toMillis());
        }
        if (details.position() != null) {
            json.writeNumberProperty("position", details.position());
        }
        json.writeStringProperty("sqlState", sqlState);
        if (details.sqlPosition() != null) {
            json.writeNumberProperty("sqlPosition", details.sqlPosition());
        }
        StatusJson.text(json, "errorId", details.errorId());
        json.writeEndObject();
    }

    /** The code in words: QUEUE_FULL is "Queue full". */
    private String title() {
        String words = code.name().toLowerCase(Locale.ROOT).replace('_', ' ').replace("sql", "SQL");
        return Character.toUpperCase(words.charAt(0)) + words.substring(1);
    }
}
