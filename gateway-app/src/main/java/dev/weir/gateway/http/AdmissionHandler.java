package dev.weir.gateway.http;

import static dev.weir.gateway.http.Options.invalid;

import dev.weir.engine.EngineNode;
import dev.weir.gateway.query.AdmissionView;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.springframework.http.MediaType;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The calls about admission: state, history, explanation, limits. They run outside the queue. */
final class AdmissionHandler {

    private static final int DEFAULT_HISTORY = 100;
    private static final int MAX_HISTORY = 10_000;

    private final AdmissionView admission;
    private final RequestBody bodies;
    private final Executor disk;
    private final SubmissionReader submissions = new SubmissionReader();
    private final JsonMapper mapper = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    /**
     * @param disk for changes that write a file
     */
    AdmissionHandler(AdmissionView admission, RequestBody bodies, Executor disk) {
        this.admission = admission;
        this.bodies = bodies;
        this.disk = disk;
    }

    /** GET /v1/admission. */
    Mono<ServerResponse> state(ServerRequest request) {
        return Caller.of(request)
                .flatMap(identity ->
                        answer(json -> AdmissionJson.write(json, admission.snapshot(identity), admission.capacity())));
    }

    /** GET /v1/workers. */
    Mono<ServerResponse> workers(ServerRequest request) {
        return Caller.of(request).flatMap(identity -> {
            List<EngineNode> workers = admission.workers(identity);
            return answer(json -> AdmissionJson.writeWorkers(json, workers));
        });
    }

    /** GET /v1/admission/history. */
    Mono<ServerResponse> history(ServerRequest request) {
        int limit = request.queryParam("limit").map(AdmissionHandler::limit).orElse(DEFAULT_HISTORY);
        return Caller.of(request)
                .flatMap(identity -> answer(json -> AdmissionJson.write(json, admission.history(identity, limit))));
    }

    private static int limit(String text) {
        try {
            int limit = Integer.parseInt(text);
            if (limit >= 1 && limit <= MAX_HISTORY) {
                return limit;
            }
        } catch (NumberFormatException e) {
            // Told below.
        }
        throw invalid("\"limit\" must be 1 to " + MAX_HISTORY + ".");
    }

    /** POST /v1/admission/explain: the body and headers of a query to be submitted. */
    Mono<ServerResponse> explain(ServerRequest request) {
        return Caller.of(request)
                .flatMap(identity -> bodies.read(request.exchange().getRequest())
                        .flatMap(body -> {
                            Submission submission = submissions.read(
                                    request.exchange().getRequest().getHeaders(), body);
                            return answer(json ->
                                    AdmissionJson.write(json, admission.explain(identity, submission.request())));
                        }));
    }

    /** GET /v1/admission/limits. */
    Mono<ServerResponse> limits(ServerRequest request) {
        return Caller.of(request).flatMap(identity -> answer(admission.limits(identity)));
    }

    /** PUT /v1/admission/limits. */
    Mono<ServerResponse> change(ServerRequest request) {
        boolean persist =
                request.queryParam("persist").map(AdmissionHandler::flag).orElse(false);
        return Caller.of(request).flatMap(identity -> {
            // Before the body is looked at: who may not change limits learns nothing else.
            admission.limits(identity);
            return bodies.read(request.exchange().getRequest())
                    .map(this::changes)
                    .publishOn(Schedulers.fromExecutor(disk))
                    .map(changes -> admission.change(identity, changes, persist))
                    .flatMap(this::answer);
        });
    }

    private static boolean flag(String text) {
        return switch (text) {
            case "true", "" -> true;
            case "false" -> false;
            default -> throw invalid("\"persist\" must be true or false.");
        };
    }

    @SuppressWarnings("unchecked") // an object's keys are texts
    private Map<String, ?> changes(byte[] body) {
        try {
            JsonNode root = mapper.readTree(body);
            if (root != null && root.isObject()) {
                return (Map<String, ?>) mapper.treeToValue(root, Map.class);
            }
        } catch (JacksonException e) {
            // Told below; Jackson's own message would show a part of the body.
        }
        throw invalid("The body must be one JSON object of limits, as GET answers them.");
    }

    private Mono<ServerResponse> answer(Map<String, Object> limits) {
        byte[] body = mapper.writeValueAsBytes(limits);
        return ServerResponse.ok()
                .header("Cache-Control", "no-store")
                .contentType(MediaType.APPLICATION_JSON)
                .bodyValue(body);
    }

    private static Mono<ServerResponse> answer(Consumer<JsonGenerator> content) {
        return ServerResponse.ok()
                .header("Cache-Control", "no-store")
                .contentType(MediaType.APPLICATION_JSON)
                .bodyValue(StatusJson.bytes(content));
    }
}
