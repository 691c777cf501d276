package dev.weir.gateway.http;

import dev.weir.auth.Identity;
import dev.weir.gateway.query.QueryExecution;
import dev.weir.gateway.query.QueryService;
import dev.weir.gateway.query.QuerySnapshot;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import org.apache.arrow.memory.BufferAllocator;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;

/** POST /v1/queries. */
final class SubmitHandler {

    private final QueryService queries;
    private final AsyncQueries asyncQueries;
    private final PartitionedQueries partitionedQueries;
    private final Answers answers;
    private final RequestBody bodies;
    private final BufferAllocator allocator;
    private final ScheduledExecutorService timer;
    private final SubmissionReader reader = new SubmissionReader();

    /**
     * @param allocator for results that this front makes itself
     * @param timer ends a client's wait
     */
    SubmitHandler(
            QueryService queries,
            AsyncQueries asyncQueries,
            PartitionedQueries partitionedQueries,
            Answers answers,
            RequestBody bodies,
            BufferAllocator allocator,
            ScheduledExecutorService timer) {
        this.queries = queries;
        this.asyncQueries = asyncQueries;
        this.partitionedQueries = partitionedQueries;
        this.answers = answers;
        this.bodies = bodies;
        this.allocator = allocator;
        this.timer = timer;
    }

    Mono<ServerResponse> submit(ServerRequest request) {
        Answers.Wanted wanted = Answers.Wanted.of(request);
        HttpHeaders headers = request.exchange().getRequest().getHeaders();
        return Caller.of(request)
                .flatMap(identity -> bodies.read(request.exchange().getRequest())
                        .flatMap(body -> run(identity, reader.read(headers, body), wanted, headers)));
    }

    private Mono<ServerResponse> run(
            Identity identity, Submission submission, Answers.Wanted wanted, HttpHeaders headers) {
        if (submission.partitions() > 1) {
            return partitioned(identity, submission, headers);
        }
        QueryExecution execution = queries.submit(identity, submission.request());
        ResultSource source = ResultSource.of(execution, allocator);
        Duration waitTime = submission.waitTime();
        boolean preferred = headers.containsHeader("Prefer");
        if (waitTime == null) {
            return new ResultCall(source, answers, wanted, submission.rowLimit(), null).answer();
        }
        if (waitTime.isZero()) {
            boolean encoded = ResultFormat.ARROW.takesEncoded(submission.rowLimit());
            return accept(identity, execution, source.load(encoded), submission.rowLimit(), preferred);
        }
        ResultCall.Patience patience = new ResultCall.Patience(
                waitTime, timer, coming -> accept(identity, execution, coming, submission.rowLimit(), preferred));
        return new ResultCall(source, answers, wanted, submission.rowLimit(), patience).answer();
    }

    /** The answer tells where the partitions are read; how long the client waits is up to those calls. */
    private Mono<ServerResponse> partitioned(Identity identity, Submission submission, HttpHeaders headers) {
        PartitionedQueries.Query query =
                partitionedQueries.add(identity, queries, submission.request(), submission.partitions());
        QuerySnapshot snapshot = query.result().query().snapshot();
        return ServerResponse.status(HttpStatus.ACCEPTED)
                .headers(answer -> {
                    AnswerHeaders.write(answer, snapshot);
                    answer.set(HttpHeaders.LOCATION, Addresses.query(snapshot.id()));
                    if (headers.containsHeader("Prefer")) {
                        answer.set("Preference-Applied", "respond-async");
                    }
                })
                .contentType(MediaType.APPLICATION_JSON)
                .bodyValue(StatusJson.bytes(
                        json -> StatusJson.write(json, snapshot, query.result().count())));
    }

    private Mono<ServerResponse> accept(
            Identity identity,
            QueryExecution execution,
            CompletionStage<LoadedResult> coming,
            long rowLimit,
            boolean preferred) {
        AsyncQuery query = asyncQueries.adopt(identity, execution, coming, rowLimit);
        return ServerResponse.status(HttpStatus.ACCEPTED)
                .headers(headers -> {
                    AnswerHeaders.write(headers, query.snapshot());
                    headers.set(HttpHeaders.LOCATION, Addresses.query(query.id()));
                    if (preferred) {
                        headers.set("Preference-Applied", "respond-async");
                    }
                })
                .contentType(MediaType.APPLICATION_JSON)
                .bodyValue(StatusJson.bytes(json -> StatusJson.write(json, query.snapshot(), query.status())));
    }
}
