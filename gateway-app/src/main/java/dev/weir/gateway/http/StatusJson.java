package dev.weir.gateway.http;

import dev.weir.gateway.query.AdmissionTrail;
import dev.weir.gateway.query.ErrorDetails;
import dev.weir.gateway.query.GatewayException;
import dev.weir.gateway.query.QuerySnapshot;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;

/** A query's status as JSON. What is unknown or does not apply is left out. */
final class StatusJson {

    private StatusJson() {}

    static byte[] bytes(Consumer<JsonGenerator> content) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(512);
        try (JsonGenerator json = JsonFormat.FACTORY.createGenerator(ObjectWriteContext.empty(), bytes)) {
            content.accept(json);
            json.writeRaw('\n');
        }
        return bytes.toByteArray();
    }

    /** Of a query whose result is read in parts. */
    static void write(JsonGenerator json, QuerySnapshot query, int partitions) {
        json.writeStartObject();
        fields(json, query, null);
        json.writeObjectPropertyStart("result");
        json.writeNumberProperty("partitions", partitions);
        json.writeStringProperty("url", Addresses.result(query.id()));
        json.writeEndObject();
        json.writeEndObject();
    }

    /**
     * @param async how its spooled result stands; null when it has none
     */
    static void write(JsonGenerator json, QuerySnapshot query, AsyncQuery.@Nullable Status async) {
        json.writeStartObject();
        fields(json, query, async);
        json.writeEndObject();
    }

    private static void fields(JsonGenerator json, QuerySnapshot query, AsyncQuery.@Nullable Status async) {
        json.writeStringProperty("queryId", query.id());
        json.writeStringProperty("state", query.state().name());
        json.writeStringProperty("user", query.user());
        json.writeStringProperty("front", query.front().label());
        if (query.kind() != null) {
            json.writeStringProperty("kind", query.kind().name());
        }
        json.writeStringProperty("submitted", query.submitted().toString());
        json.writeNumberProperty("queuedMs", query.queued().toMillis());
        json.writeNumberProperty("runningMs", query.running().toMillis());
        json.writeNumberProperty("rows", query.rows());
        json.writeNumberProperty("batches", query.batches());
        json.writeNumberProperty("bytes", query.bytes());
        json.writeNumberProperty("reservedBytes", query.reservedBytes());
        admission(json, query);
        waiting(json, query);
        if (!query.tags().isEmpty()) {
            json.writeObjectPropertyStart("tags");
            query.tags().forEach(json::writeStringProperty);
            json.writeEndObject();
        }
        if (async != null) {
            result(json, query.id(), async);
        }
        GatewayException failure = query.failure();
        if (failure == null && async != null && query.state().isDone()) {
            failure = async.failure();
        }
        if (failure != null) {
            json.writeName("error");
            Problem.of(failure, query.id()).write(json);
        }
    }

    private static void admission(JsonGenerator json, QuerySnapshot query) {
        json.writeStringProperty("group", query.group());
        text(json, "class", query.queryClass());
        text(json, "lane", query.lane());
        AdmissionTrail trail = query.admission();
        json.writeBooleanProperty("overran", trail.overran());
        json.writeNumberProperty("pauses", trail.pauses());
        json.writeNumberProperty("pausedMs", trail.paused().toMillis());
    }

    private static void waiting(JsonGenerator json, QuerySnapshot query) {
        if (query.position() != null) {
            json.writeNumberProperty("position", query.position());
        }
        text(json, "waitReason", query.waitReason());
        if (query.waitLimit() != null) {
            limit(json, query.waitLimit());
        }
        millis(json, "predictedWaitMs", query.predictedWait());
        if (query.cancelReason() != null) {
            json.writeStringProperty("cancelReason", query.cancelReason().label());
        }
        millis(json, "cancellingMs", query.cancelling());
    }

    private static void result(JsonGenerator json, String id, AsyncQuery.Status async) {
        json.writeObjectPropertyStart("result");
        json.writeStringProperty("state", async.state().name());
        SpoolWriter.Spooled spooled = async.spooled();
        if (spooled != null) {
            json.writeNumberProperty("bytes", spooled.file().size());
            json.writeBooleanProperty("truncated", spooled.truncated());
            json.writeStringProperty("expires", String.valueOf(async.ends()));
        }
        json.writeStringProperty("url", Addresses.result(id));
        json.writeEndObject();
    }

    static void limit(JsonGenerator json, ErrorDetails.Limit limit) {
        json.writeObjectPropertyStart("limit");
        json.writeStringProperty("scope", limit.scope());
        json.writeStringProperty("name", limit.name());
        json.writeStringProperty("value", limit.value());
        json.writeEndObject();
    }

    static void text(JsonGenerator json, String name, @Nullable String value) {
        if (value != null) {
            json.writeStringProperty(name, value);
        }
    }

    static void millis(JsonGenerator json, String name, @Nullable Duration duration) {
        if (duration != null) {
            json.writeNumberProperty(name, duration.toMillis());
        }
    }
}
