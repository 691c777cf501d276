package dev.weir.gateway.http;

import dev.weir.auth.Identity;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import dev.weir.gateway.query.QueryService;
import dev.weir.gateway.query.QuerySnapshot;
import java.util.Optional;
import java.util.function.Function;
import org.apache.arrow.memory.BufferAllocator;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;

/** The calls under /v1/queries. */
final class QueryHandler {

    private final QueryService queries;
    private final Answers answers;
    private final RequestBody bodies;
    private final BufferAllocator allocator;
    private final SubmissionReader reader = new SubmissionReader();

    QueryHandler(QueryService queries, Answers answers, RequestBody bodies, BufferAllocator allocator) {
        this.queries = queries;
        this.answers = answers;
        this.bodies = bodies;
        this.allocator = allocator;
    }

    /** POST /v1/queries. */
    Mono<ServerResponse> submit(ServerRequest request) {
        Answers.Wanted wanted = Answers.Wanted.of(request);
        HttpHeaders headers = request.exchange().getRequest().getHeaders();
        return Caller.of(request)
                .flatMap(identity -> bodies.read(request.exchange().getRequest())
                        .flatMap(body -> run(identity, reader.read(headers, body), wanted)));
    }

    private Mono<ServerResponse> run(Identity identity, Submission submission, Answers.Wanted wanted) {
        return Mono.defer(() -> new QueryCall(
                        queries.submit(identity, submission.request()),
                        answers,
                        wanted,
                        allocator,
                        submission.rowLimit())
                .answer());
    }

    /** GET /v1/queries/{id}. */
    Mono<ServerResponse> status(ServerRequest request) {
        return known(request, identity -> queries.find(identity, request.pathVariable("id")));
    }

    /** DELETE /v1/queries/{id}. */
    Mono<ServerResponse> cancel(ServerRequest request) {
        return known(request, identity -> queries.cancel(identity, request.pathVariable("id")));
    }

    private static Mono<ServerResponse> known(ServerRequest request, Function<Identity, Optional<QuerySnapshot>> call) {
        return Caller.of(request)
                .flatMap(identity ->
                        call.apply(identity).map(QueryHandler::status).orElseGet(() -> Mono.error(unknown())));
    }

    static GatewayException unknown() {
        return new GatewayException(
                GatewayErrorCode.NOT_FOUND, "There is no such query, or it is another user's, or too long ago.");
    }

    private static Mono<ServerResponse> status(QuerySnapshot query) {
        return ServerResponse.ok()
                .headers(headers -> AnswerHeaders.write(headers, query))
                .contentType(MediaType.APPLICATION_JSON)
                .bodyValue(StatusJson.bytes(json -> StatusJson.write(json, query)));
    }
}
