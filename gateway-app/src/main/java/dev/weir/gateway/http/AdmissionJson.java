package dev.weir.gateway.http;

import dev.weir.admission.AdmissionLimits;
import dev.weir.admission.AdmissionSnapshot;
import dev.weir.admission.GroupLimits;
import dev.weir.admission.RateLimit;
import dev.weir.admission.RunTimeStats;
import dev.weir.admission.WaitReason;
import dev.weir.engine.EngineCapacity;
import dev.weir.engine.EngineNode;
import dev.weir.gateway.query.Explained;
import dev.weir.gateway.query.GatewayException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** What admission tells, as JSON. What is unknown or does not apply is left out. */
final class AdmissionJson {

    private AdmissionJson() {}

    static void write(JsonGenerator json, AdmissionSnapshot state, EngineCapacity capacity) {
        json.writeStartObject();
        shares(json, state.running(), state.shortRunning(), state.queued(), state.paused(), state.reservedBytes());
        json.writeBooleanProperty("held", state.held());
        json.writeBooleanProperty("draining", state.draining());
        json.writeObjectPropertyStart("reasons");
        for (Map.Entry<WaitReason, Integer> reason : new TreeMap<>(state.reasons()).entrySet()) {
            json.writeNumberProperty(label(reason.getKey()), reason.getValue());
        }
        json.writeEndObject();
        json.writeArrayPropertyStart("groups");
        for (AdmissionSnapshot.Group group : state.groups()) {
            json.writeStartObject();
            json.writeStringProperty("name", group.name());
            shares(json, group.running(), group.shortRunning(), group.queued(), group.paused(), group.reservedBytes());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeArrayPropertyStart("users");
        for (AdmissionSnapshot.User user : state.users()) {
            json.writeStartObject();
            json.writeStringProperty("name", user.name());
            json.writeStringProperty("group", user.group());
            shares(json, user.running(), user.shortRunning(), user.queued(), user.paused(), user.reservedBytes());
            json.writeEndObject();
        }
        json.writeEndArray();
        limits(json, state.limits());
        if (!capacity.equals(EngineCapacity.UNBOUNDED)) {
            json.writeObjectPropertyStart("capacity");
            json.writeNumberProperty("slots", capacity.slots());
            json.writeNumberProperty("memoryBytes", capacity.memoryBytes());
            json.writeEndObject();
        }
        json.writeEndObject();
    }

    static void writeWorkers(JsonGenerator json, List<EngineNode> workers) {
        json.writeStartObject();
        json.writeArrayPropertyStart("workers");
        for (EngineNode worker : workers) {
            json.writeStartObject();
            json.writeStringProperty("name", worker.name());
            json.writeStringProperty("address", worker.address());
            json.writeStringProperty("state", worker.state().name());
            json.writeStringProperty("since", worker.since().toString());
            json.writeNumberProperty("slots", worker.slots());
            json.writeNumberProperty("running", worker.running());
            json.writeNumberProperty("memoryBytes", worker.memoryBytes());
            json.writeNumberProperty("reservedBytes", worker.reservedBytes());
            json.writeStringProperty("limit", worker.limit());
            StatusJson.text(json, "reason", worker.reason());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void shares(JsonGenerator json, int running, int shortRunning, int queued, int paused, long bytes) {
        json.writeNumberProperty("running", running);
        json.writeNumberProperty("shortRunning", shortRunning);
        json.writeNumberProperty("queued", queued);
        json.writeNumberProperty("paused", paused);
        json.writeNumberProperty("reservedBytes", bytes);
    }

    private static void limits(JsonGenerator json, AdmissionLimits limits) {
        json.writeObjectPropertyStart("limits");
        json.writeNumberProperty("maxRunning", limits.maxRunning());
        json.writeNumberProperty("maxQueued", limits.maxQueued());
        json.writeNumberProperty("shortLane", limits.shortLane());
        json.writeNumberProperty("shortQueryMs", limits.shortQuery().toMillis());
        json.writeNumberProperty("maxPaused", limits.maxPaused());
        json.writeNumberProperty("memoryBudgetBytes", limits.memoryBudgetBytes());
        rate(json, limits.rate());
        json.writeObjectPropertyStart("groups");
        for (Map.Entry<String, GroupLimits> group : new TreeMap<>(limits.groups()).entrySet()) {
            json.writeName(group.getKey());
            group(json, group.getValue());
        }
        json.writeEndObject();
        json.writeEndObject();
    }

    private static void group(JsonGenerator json, GroupLimits group) {
        json.writeStartObject();
        json.writeNumberProperty("maxRunning", group.maxRunning());
        json.writeNumberProperty("maxQueued", group.maxQueued());
        json.writeNumberProperty("weight", group.weight());
        json.writeNumberProperty("queueTimeoutMs", group.queueTimeout().toMillis());
        json.writeNumberProperty("memoryBudgetBytes", group.memoryBudgetBytes());
        json.writeNumberProperty("memoryPerQueryBytes", group.memoryPerQueryBytes());
        json.writeNumberProperty("memoryMaxPerQueryBytes", group.memoryMaxPerQueryBytes());
        rate(json, group.rate());
        json.writeObjectPropertyStart("user");
        json.writeNumberProperty("maxRunning", group.user().maxRunning());
        json.writeNumberProperty("maxQueued", group.user().maxQueued());
        json.writeNumberProperty("maxPaused", group.user().maxPaused());
        rate(json, group.user().rate());
        json.writeEndObject();
        json.writeEndObject();
    }

    private static void rate(JsonGenerator json, @Nullable RateLimit rate) {
        if (rate != null) {
            json.writeObjectPropertyStart("rate");
            json.writeNumberProperty("requests", rate.requests());
            json.writeNumberProperty("periodMs", rate.period().toMillis());
            json.writeNumberProperty("burst", rate.burst());
            json.writeEndObject();
        }
    }

    static void write(JsonGenerator json, List<RunTimeStats> history) {
        json.writeStartObject();
        json.writeArrayPropertyStart("history");
        history.forEach(line -> line(json, line));
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void line(JsonGenerator json, RunTimeStats line) {
        json.writeStartObject();
        json.writeStringProperty("scope", label(line.scope()));
        json.writeStringProperty("key", line.key());
        json.writeNumberProperty("runs", line.runs());
        json.writeNumberProperty("meanMs", line.mean().toNanos() / 1e6);
        json.writeNumberProperty("p50Ms", line.p50().toNanos() / 1e6);
        json.writeNumberProperty("p90Ms", line.p90().toNanos() / 1e6);
        json.writeStringProperty("class", label(line.queryClass()));
        if (line.peakBytes().isPresent()) {
            json.writeNumberProperty("peakBytes", line.peakBytes().getAsLong());
        }
        if (line.learnedBytes().isPresent()) {
            json.writeNumberProperty("learnedBytes", line.learnedBytes().getAsLong());
        }
        json.writeEndObject();
    }

    static void write(JsonGenerator json, Explained found) {
        json.writeStartObject();
        json.writeStringProperty("decision", label(found.decision()));
        json.writeStringProperty("group", found.group());
        if (found.queryClass() != null) {
            json.writeStringProperty("class", label(found.queryClass()));
        }
        if (found.learnedFrom() != null) {
            json.writeName("learnedFrom");
            line(json, found.learnedFrom());
        }
        json.writeNumberProperty("reservedBytes", found.reservedBytes());
        if (found.learnedReservation()) {
            json.writeBooleanProperty("learnedReservation", true);
        }
        StatusJson.millis(json, "expectedMs", found.expectedTime());
        if (found.position() != null) {
            json.writeNumberProperty("position", found.position());
        }
        StatusJson.text(json, "waitReason", found.waitReason());
        if (found.limit() != null) {
            StatusJson.limit(json, found.limit());
        }
        StatusJson.millis(json, "predictedWaitMs", found.predictedWait());
        GatewayException refusal = found.refusal();
        if (refusal != null) {
            json.writeName("refusal");
            Problem.of(refusal, null).write(json);
        }
        json.writeEndObject();
    }

    private static String label(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
