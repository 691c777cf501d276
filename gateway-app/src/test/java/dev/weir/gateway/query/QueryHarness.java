package dev.weir.gateway.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.auth.Identity;
import dev.weir.auth.Role;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/** A query service between fakes. */
final class QueryHarness {

    static final Identity ANN = new Identity("ann", List.of(), Role.READER);
    static final Identity EVE = new Identity("eve", List.of("other", "etl"), Role.WRITER);
    static final Identity ROOT = new Identity("root", List.of(), Role.ADMIN);
    static final Duration STALL = Duration.ofSeconds(60);
    static final Duration STATEMENT = Duration.ofMinutes(10);

    final FakeEngine engine = new FakeEngine();
    final FakeAdmission admission = new FakeAdmission();
    final FakeAdmission lane = new FakeAdmission();
    final FakeTimers timers = new FakeTimers();
    final FakeLimits limits;
    final List<QuerySnapshot> ended = new ArrayList<>();
    /** Runs while a query is being submitted. */
    Runnable onSubmit = () -> {};

    final DefaultQueryService service;

    QueryHarness() {
        this(STATEMENT, STALL);
    }

    QueryHarness(Duration statementTimeout, Duration clientStallTimeout) {
        limits = new FakeLimits(
                new QueryLimits(Duration.ofSeconds(60), statementTimeout, clientStallTimeout, Duration.ofSeconds(30)));
        service = new DefaultQueryService(
                engine,
                new DefaultQueryService.Controllers(admission, new AdmissionRelay(), lane, lane),
                limits,
                timers,
                Clock.fixed(Instant.parse("2026-01-01T00:00:00Z"), ZoneOffset.UTC),
                new QueryListener() {
                    @Override
                    public void submitted(QuerySnapshot query) {
                        onSubmit.run();
                    }

                    @Override
                    public void done(QuerySnapshot query) {
                        ended.add(query);
                    }
                });
    }

    QueryExecution submit(Identity identity) {
        return service.submit(identity, QueryRequest.of(Front.HTTP, "select 1"));
    }

    FakeEngine.Result open(int call) {
        FakeEngine.Result result = engine.newResult();
        engine.calls.get(call).open(result);
        return result;
    }

    void everythingIsGivenBack() {
        assertThat(admission.held).hasValue(0);
        assertThat(lane.held).hasValue(0);
        engine.close();
    }

    static <T> T now(CompletionStage<T> stage) {
        assertThat(stage.toCompletableFuture()).isDone();
        return stage.toCompletableFuture().join();
    }

    static GatewayException failure(CompletionStage<?> stage) {
        assertThat(stage.toCompletableFuture()).isCompletedExceptionally();
        CompletionException wrapped = catchThrowableOfType(
                CompletionException.class, () -> stage.toCompletableFuture().join());
        assertThat(wrapped).isNotNull();
        assertThat(wrapped.getCause()).isInstanceOf(GatewayException.class);
        return (GatewayException) wrapped.getCause();
    }
}
