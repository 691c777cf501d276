package dev.weir.gateway.http;

import dev.weir.admission.Priority;
import dev.weir.auth.Identity;
import dev.weir.engine.IngestMode;
import dev.weir.engine.IngestTarget;
import dev.weir.engine.SessionSettings;
import dev.weir.gateway.query.CancelReason;
import dev.weir.gateway.query.Front;
import dev.weir.gateway.query.GatewayException;
import dev.weir.gateway.query.IngestInlet;
import dev.weir.gateway.query.IngestRequest;
import dev.weir.gateway.query.QueryRequest;
import dev.weir.gateway.query.QueryService;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/** POST /v1/tables/{name}/rows. */
final class IngestHandler {

    /** What the framework makes of bytes that are no UTF-8, so that different names would become the same. */
    private static final char REPLACEMENT = '\uFFFD';

    private static final MediaType ARROW = MediaType.parseMediaType("application/vnd.apache.arrow.stream");
    private static final Set<String> KEYS = Set.of("mode", "catalog", "schema", "temporary", "ingest", "parts", "part");

    private final QueryService queries;

    IngestHandler(QueryService queries) {
        this.queries = queries;
    }

    Mono<ServerResponse> load(ServerRequest request) {
        return Caller.of(request).flatMap(identity -> {
            IngestRequest ingest = read(request);
            return Mono.create(sink -> start(request, identity, ingest, sink));
        });
    }

    private void start(ServerRequest request, Identity identity, IngestRequest ingest, MonoSink<ServerResponse> sink) {
        IngestInlet inlet;
        try {
            inlet = queries.ingest(identity, ingest);
        } catch (GatewayException e) {
            sink.error(HttpProblem.closing(e.code().httpStatus(), e));
            return;
        }
        ClientConnection connection = ClientConnection.of(request.exchange().getRequest());
        UploadBody body = new UploadBody(inlet);
        ClientConnection.Registration closing = connection.onClosed(() -> inlet.abandon(CancelReason.CLIENT_GONE));
        sink.onCancel(() -> inlet.abandon(CancelReason.CLIENT_GONE));
        inlet.rows().whenComplete((rows, thrown) -> {
            closing.cancel();
            body.end();
            if (thrown == null) {
                answer(inlet, rows).subscribe(sink::success, sink::error);
                return;
            }
            GatewayException failure = Problems.of(thrown);
            sink.error(
                    body.isWhole()
                            ? failure
                            : HttpProblem.closing(failure.code().httpStatus(), failure));
        });
        request.exchange()
                .getRequest()
                .getBody()
                .takeUntilOther(connection.brokenBody())
                .subscribe(body);
    }

    private static Mono<ServerResponse> answer(IngestInlet inlet, long rows) {
        return ServerResponse.ok()
                .headers(headers -> inlet.query().ifPresent(query -> AnswerHeaders.write(headers, query)))
                .contentType(MediaType.APPLICATION_JSON)
                .bodyValue(StatusJson.bytes(json -> {
                    json.writeStartObject();
                    inlet.query().ifPresent(query -> json.writeStringProperty("queryId", query.id()));
                    json.writeNumberProperty("rows", rows);
                    json.writeEndObject();
                }));
    }

    private static IngestRequest read(ServerRequest request) {
        HttpHeaders headers = request.exchange().getRequest().getHeaders();
        checkType(headers);
        Options options = Options.ofHeaders(headers);
        if (options.rowLimit() != null || options.waitTime() != null) {
            throw Options.invalid("An ingest takes neither a row limit nor a wait.");
        }
        Map<String, String> given = request.queryParams().toSingleValueMap();
        for (String key : given.keySet()) {
            if (!KEYS.contains(key)) {
                throw Options.invalid("The address has an unknown parameter; known are mode, catalog, schema,"
                        + " temporary, ingest, parts and part.");
            }
        }
        if (!"false".equals(given.getOrDefault("temporary", "false"))) {
            throw Options.invalid("A temporary table needs a session; use Flight SQL.");
        }
        String name = request.pathVariable("name");
        if (name.indexOf(REPLACEMENT) >= 0) {
            throw Options.invalid("The name of the table is not valid UTF-8.");
        }
        IngestTarget target = new IngestTarget(given.get("catalog"), given.get("schema"), name, false);
        return new IngestRequest(
                query(options, headers), target, mode(given.getOrDefault("mode", "append")), part(given));
    }

    private static void checkType(HttpHeaders headers) {
        String encoding = headers.getFirst(HttpHeaders.CONTENT_ENCODING);
        if (encoding != null && !encoding.strip().equalsIgnoreCase("identity")) {
            throw HttpProblem.encodedRequest();
        }
        try {
            MediaType type = headers.getContentType();
            if (type == null || !ARROW.equalsTypeAndSubtype(type)) {
                throw HttpProblem.unsupportedType(ARROW.toString());
            }
        } catch (InvalidMediaTypeException e) {
            throw Options.invalid("The Content-Type header is malformed.");
        }
    }

    private static IngestMode mode(String text) {
        return switch (text) {
            case "append" -> IngestMode.APPEND;
            case "create" -> IngestMode.CREATE;
            case "replace" -> IngestMode.REPLACE;
            case "create_append" -> IngestMode.CREATE_APPEND;
            default -> throw Options.invalid("\"mode\" must be append, create, replace or create_append.");
        };
    }

    private static IngestRequest.@Nullable Part part(Map<String, String> given) {
        String ingest = given.get("ingest");
        if (ingest == null) {
            if (given.containsKey("parts") || given.containsKey("part")) {
                throw Options.invalid("An ingest in parts needs its name as \"ingest\".");
            }
            return null;
        }
        return new IngestRequest.Part(ingest, number(given, "parts"), number(given, "part"));
    }

    private static int number(Map<String, String> given, String key) {
        try {
            return Integer.parseInt(given.getOrDefault(key, ""));
        } catch (NumberFormatException e) {
            throw Options.invalid("\"" + key + "\" of an ingest in parts must be a whole number.");
        }
    }

    private static QueryRequest query(Options options, HttpHeaders headers) {
        return new QueryRequest(
                Front.HTTP,
                "",
                List.of(),
                SessionSettings.NONE,
                Optional.ofNullable(options.timeout()),
                Optional.ofNullable(options.queueTimeout()),
                options.memory() == null ? OptionalLong.empty() : OptionalLong.of(options.memory()),
                options.priority() == null ? Priority.NORMAL : options.priority(),
                Boolean.TRUE.equals(options.heavy()),
                SubmissionReader.tags(options, headers));
    }
}
