package dev.weir.gateway.http;

import dev.weir.auth.Identity;
import dev.weir.gateway.query.ErrorDetails;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import dev.weir.gateway.query.QueryService;
import dev.weir.gateway.query.QuerySnapshot;
import java.util.Optional;
import org.springframework.http.MediaType;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;

/** The calls about queries: status, result, cancel, list. They run outside the queue. */
final class QueryHandler {

    private final QueryService queries;
    private final AsyncQueries asyncQueries;
    private final PartitionedQueries partitionedQueries;
    private final Answers answers;
    private final SpoolReaders readers;

    QueryHandler(
            QueryService queries,
            AsyncQueries asyncQueries,
            PartitionedQueries partitionedQueries,
            Answers answers,
            SpoolReaders readers) {
        this.queries = queries;
        this.asyncQueries = asyncQueries;
        this.partitionedQueries = partitionedQueries;
        this.answers = answers;
        this.readers = readers;
    }

    /** GET /v1/queries/{id}. */
    Mono<ServerResponse> status(ServerRequest request) {
        String id = request.pathVariable("id");
        return Caller.of(request).flatMap(identity -> status(identity, id, queries.find(identity, id)));
    }

    /** DELETE /v1/queries/{id}: cancels, and deletes the result. */
    Mono<ServerResponse> cancel(ServerRequest request) {
        String id = request.pathVariable("id");
        return Caller.of(request).flatMap(identity -> {
            Optional<QuerySnapshot> cancelled = queries.cancel(identity, id);
            asyncQueries.find(identity, id).ifPresent(asyncQueries::delete);
            return status(identity, id, cancelled);
        });
    }

    private Mono<ServerResponse> status(Identity identity, String id, Optional<QuerySnapshot> known) {
        AsyncQuery async = asyncQueries.find(identity, id).orElse(null);
        // The service forgets a query that is done sooner than its result expires.
        QuerySnapshot query = known.orElse(async == null ? null : async.snapshot());
        if (query == null) {
            return Mono.error(unknown());
        }
        AsyncQuery.Status result = async == null ? null : async.status();
        int partitions = partitionedQueries
                .find(identity, id)
                .map(parts -> parts.result().count())
                .orElse(0);
        return ServerResponse.ok()
                .headers(headers -> AnswerHeaders.write(headers, query))
                .contentType(MediaType.APPLICATION_JSON)
                .bodyValue(StatusJson.bytes(json -> {
                    if (partitions > 0) {
                        StatusJson.write(json, query, partitions);
                    } else {
                        StatusJson.write(json, query, result);
                    }
                }));
    }

    /** GET /v1/queries: own queries, or all for administrators, newest first. */
    Mono<ServerResponse> list(ServerRequest request) {
        return Caller.of(request).flatMap(identity -> {
            QueryPage page = QueryPage.of(request.queryParams(), queries.list(identity));
            return ServerResponse.ok()
                    .header("Cache-Control", "no-store")
                    .contentType(MediaType.APPLICATION_JSON)
                    .bodyValue(StatusJson.bytes(page::write));
        });
    }

    /** GET /v1/queries/{id}/result. */
    Mono<ServerResponse> result(ServerRequest request) {
        Answers.Wanted wanted = Answers.Wanted.of(request);
        return Caller.of(request).flatMap(identity -> {
            String id = request.pathVariable("id");
            String partition = request.queryParams().getFirst("partition");
            PartitionedQueries.Query parts =
                    partitionedQueries.find(identity, id).orElse(null);
            if (parts != null) {
                return new ResultCall(parts.source(partition), answers, wanted, Long.MAX_VALUE, null).answer();
            }
            AsyncQuery query = stored(identity, id);
            if (partition != null) {
                throw PartitionedQueries.whole();
            }
            ResultSource source = ResultSource.of(query, spooled(query), readers);
            return new ResultCall(source, answers, wanted, Long.MAX_VALUE, null).answer();
        });
    }

    /** HEAD /v1/queries/{id}/result: whether it is there, without reading it. */
    Mono<ServerResponse> resultHead(ServerRequest request) {
        Answers.Wanted wanted = Answers.Wanted.of(request);
        return Caller.of(request).flatMap(identity -> {
            AsyncQuery query = stored(identity, request.pathVariable("id"));
            spooled(query);
            return ServerResponse.ok()
                    .headers(headers -> {
                        AnswerHeaders.write(headers, query.snapshot());
                        headers.set("Content-Type", wanted.contentType());
                        headers.set("Vary", "Accept, Accept-Encoding");
                    })
                    .build();
        });
    }

    private AsyncQuery stored(Identity identity, String id) {
        Optional<AsyncQuery> query = asyncQueries.find(identity, id);
        if (query.isPresent()) {
            return query.get();
        }
        if (queries.find(identity, id).isEmpty()) {
            throw unknown();
        }
        throw new GatewayException(
                GatewayErrorCode.NOT_FOUND,
                "The result of this query goes to the request that submitted it; submit with"
                        + " \"Prefer: respond-async\" to have it stored.",
                ErrorDetails.NONE.withQueryId(id));
    }

    /** The complete result, or the answer that there is none. */
    private static SpoolWriter.Spooled spooled(AsyncQuery query) {
        AsyncQuery.Status status = query.status();
        SpoolWriter.Spooled spooled = status.spooled();
        if (spooled != null) {
            return spooled;
        }
        GatewayException failure = status.failure();
        if (failure != null) {
            throw failure;
        }
        if (status.state() == AsyncQuery.ResultState.GONE) {
            throw HttpProblem.gone("The result is gone: it was deleted, or its time was over.");
        }
        throw pending(query.snapshot());
    }

    private static GatewayException pending(QuerySnapshot query) {
        return new GatewayException(
                GatewayErrorCode.CONFLICT,
                "The result is not complete yet; ask again, or watch " + Addresses.query(query.id()) + ".",
                new ErrorDetails(
                        query.id(), null, null, null, null, query.predictedWait(), query.position(), true, null));
    }

    static GatewayException unknown() {
        return new GatewayException(
                GatewayErrorCode.NOT_FOUND, "There is no such query, or it is another user's, or too long ago.");
    }
}
