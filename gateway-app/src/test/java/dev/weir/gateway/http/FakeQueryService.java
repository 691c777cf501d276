package dev.weir.gateway.http;

import dev.weir.auth.Identity;
import dev.weir.auth.Role;
import dev.weir.engine.MetadataRequest;
import dev.weir.engine.SessionSettings;
import dev.weir.engine.StatementKind;
import dev.weir.gateway.query.AdmissionTrail;
import dev.weir.gateway.query.CancelReason;
import dev.weir.gateway.query.Description;
import dev.weir.gateway.query.ErrorDetails;
import dev.weir.gateway.query.Front;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import dev.weir.gateway.query.QueryExecution;
import dev.weir.gateway.query.QueryRequest;
import dev.weir.gateway.query.QueryService;
import dev.weir.gateway.query.QuerySession;
import dev.weir.gateway.query.QuerySnapshot;
import dev.weir.gateway.query.QueryState;
import dev.weir.gateway.query.ResultStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** A query service whose results the test makes. Keeps what it was asked. */
final class FakeQueryService implements QueryService {

    static final ExecutorService ENGINE = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "fake-engine");
        thread.setDaemon(true);
        return thread;
    });

    final Map<String, Execution> executions = new ConcurrentHashMap<>();
    private final AtomicInteger ids = new AtomicInteger();
    private volatile Function<QueryRequest, CompletionStage<? extends ResultStream>> answer = request ->
            CompletableFuture.failedFuture(new GatewayException(GatewayErrorCode.INTERNAL, "the test gave no answer"));
    private volatile Execution last;

    /** Every query from now on gives this. */
    void answer(Function<QueryRequest, CompletionStage<? extends ResultStream>> next) {
        answer = next;
    }

    void answer(FakeResult result) {
        answer(request -> CompletableFuture.completedFuture(result));
    }

    void fail(GatewayException failure) {
        answer(request -> CompletableFuture.failedFuture(failure));
    }

    Execution last() {
        return last;
    }

    /** One query. */
    final class Execution implements QueryExecution {
        final String id;
        final Identity identity;
        final QueryRequest request;
        final Instant submitted;
        final CompletableFuture<CancelReason> cancelled = new CompletableFuture<>();
        final CompletableFuture<QuerySnapshot> done = new CompletableFuture<>();
        final CompletableFuture<ResultStream> stream = new CompletableFuture<>();
        volatile QueryState state = QueryState.QUEUED;
        volatile GatewayException failure;
        volatile FakeResult result;

        Execution(String id, Identity identity, QueryRequest request) {
            this.id = id;
            this.identity = identity;
            this.request = request;
            this.submitted = Instant.parse("2026-01-01T00:00:00Z").plusSeconds(ids.get());
        }

        void start() {
            answer.apply(request)
                    .whenCompleteAsync(
                            (made, thrown) -> {
                                if (thrown != null) {
                                    refuse(Problems.of(thrown));
                                    return;
                                }
                                result = (FakeResult) made;
                                result.onClose(() -> end(
                                        result.ended() || result.finishedEarly.get()
                                                ? QueryState.FINISHED
                                                : QueryState.CANCELLED));
                                if (cancelled.isDone()) {
                                    result.close();
                                    return;
                                }
                                state = QueryState.STREAMING;
                                stream.complete(made);
                            },
                            ENGINE);
        }

        void refuse(GatewayException thrown) {
            failure = thrown;
            end(QueryState.FAILED);
            stream.completeExceptionally(thrown);
        }

        private void end(QueryState last) {
            state = failure == null ? last : QueryState.FAILED;
            done.complete(snapshot());
        }

        @Override
        public String id() {
            return id;
        }

        @Override
        public CompletionStage<ResultStream> stream() {
            return stream;
        }

        @Override
        public CompletionStage<QuerySnapshot> done() {
            return done;
        }

        @Override
        public boolean cancel(CancelReason reason) {
            if (state.isDone()) {
                return false;
            }
            cancelled.complete(reason);
            GatewayException failed = new GatewayException(
                    GatewayErrorCode.CANCELLED, "The query was cancelled.", ErrorDetails.NONE.withQueryId(id));
            FakeResult open = result;
            if (open != null) {
                open.aborted.complete(failed);
            } else {
                state = QueryState.CANCELLED;
                done.complete(snapshot());
                stream.completeExceptionally(failed);
            }
            return true;
        }

        @Override
        public boolean fail(GatewayException thrown) {
            if (state.isDone() || failure != null) {
                return false;
            }
            failure = thrown;
            FakeResult open = result;
            if (open != null) {
                open.aborted.complete(thrown);
            }
            return true;
        }

        @Override
        public QuerySnapshot snapshot() {
            return new QuerySnapshot(
                    id,
                    identity.user(),
                    Front.HTTP,
                    state,
                    StatementKind.QUERY,
                    17,
                    submitted,
                    Duration.ofMillis(12),
                    Duration.ofMillis(34),
                    5,
                    1,
                    result == null ? 0 : result.deliveredBytes.get(),
                    1024,
                    "default",
                    state == QueryState.QUEUED ? null : "short",
                    state == QueryState.QUEUED || state.isDone() ? null : "short",
                    state == QueryState.QUEUED
                            ? AdmissionTrail.NONE
                            : new AdmissionTrail(List.of(), 2, Duration.ofMillis(2500), true),
                    state == QueryState.QUEUED ? 3 : null,
                    state == QueryState.QUEUED ? "max-running" : null,
                    state == QueryState.QUEUED ? new ErrorDetails.Limit("global", "max-running", "4") : null,
                    state == QueryState.QUEUED ? Duration.ofMillis(1500) : null,
                    cancelled.getNow(null),
                    null,
                    null,
                    failure == null ? null : failure.code(),
                    failure == null ? null : failure.text(),
                    failure == null ? null : failure.details(),
                    request.tags(),
                    null);
        }
    }

    @Override
    public QueryExecution submit(Identity identity, QueryRequest request) {
        Execution execution = new Execution("q" + ids.incrementAndGet(), identity, request);
        executions.put(execution.id, execution);
        last = execution;
        execution.start();
        return execution;
    }

    @Override
    public CompletionStage<Description> describe(Identity identity, String sql, SessionSettings settings) {
        throw new UnsupportedOperationException();
    }

    @Override
    public QuerySession openSession(Identity identity) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean needsSession(String sql) {
        return false;
    }

    @Override
    public CompletionStage<ResultStream> metadata(Identity identity, MetadataRequest request) {
        throw new UnsupportedOperationException();
    }

    private static boolean sees(Identity identity, Execution execution) {
        return identity.role() == Role.ADMIN || identity.user().equals(execution.identity.user());
    }

    @Override
    public Optional<QuerySnapshot> find(Identity identity, String queryId) {
        return Optional.ofNullable(executions.get(queryId))
                .filter(e -> sees(identity, e))
                .map(Execution::snapshot);
    }

    @Override
    public List<QuerySnapshot> list(Identity identity) {
        List<QuerySnapshot> list = new ArrayList<>();
        executions.values().stream().filter(e -> sees(identity, e)).forEach(e -> list.add(e.snapshot()));
        list.sort(Comparator.comparing(QuerySnapshot::submitted).reversed());
        return list;
    }

    @Override
    public Optional<QuerySnapshot> cancel(Identity identity, String queryId) {
        Execution execution = executions.get(queryId);
        if (execution == null || !sees(identity, execution)) {
            return Optional.empty();
        }
        execution.cancel(CancelReason.CLIENT_CANCEL);
        return Optional.of(execution.snapshot());
    }

    final FakeAdmissionView admission = new FakeAdmissionView();

    @Override
    public FakeAdmissionView admission() {
        return admission;
    }

    @Override
    public CompletionStage<Boolean> ready() {
        return CompletableFuture.completedFuture(true);
    }
}
