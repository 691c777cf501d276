package dev.weir.gateway.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.admission.Priority;
import dev.weir.admission.Rejection;
import dev.weir.admission.RunPermit;
import dev.weir.admission.WaitReason;
import dev.weir.auth.Identity;
import dev.weir.auth.Role;
import dev.weir.engine.Access;
import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.SessionSettings;
import dev.weir.engine.SessionStatement;
import dev.weir.engine.StatementKind;
import dev.weir.engine.StatementScan;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DefaultQueryServiceTest {

    private static final Identity ANN = new Identity("ann", List.of(), Role.READER);
    private static final Identity BOB = new Identity("bob", List.of(), Role.WRITER);
    private static final Identity ROOT = new Identity("root", List.of(), Role.ADMIN);
    private static final QueryLimits LIMITS = new QueryLimits(
            Duration.ofSeconds(60), Duration.ofMinutes(10), Duration.ofSeconds(60), Duration.ofSeconds(30));

    private final FakeEngine engine = new FakeEngine();
    private final FakeAdmission admission = new FakeAdmission();
    private final FakeAdmission lane = new FakeAdmission();
    private final FakeTimers timers = new FakeTimers();
    private final List<QuerySnapshot> ended = new ArrayList<>();
    private final DefaultQueryService service = new DefaultQueryService(
            engine,
            new DefaultQueryService.Controllers(admission, new AdmissionRelay(), lane, lane),
            new FakeLimits(LIMITS),
            timers,
            Clock.fixed(Instant.parse("2026-01-01T00:00:00Z"), ZoneOffset.UTC),
            new QueryListener() {
                @Override
                public void done(QuerySnapshot query) {
                    ended.add(query);
                }
            });

    @AfterEach
    void everythingIsGivenBack() {
        assertThat(admission.held).hasValue(0);
        assertThat(lane.held).hasValue(0);
        engine.close();
    }

    @Test
    void aFinishedQueryGoesThroughItsStatesAndGivesThePermitBackAfterTheLastBatch() {
        QueryExecution query = submit(ANN);
        assertThat(query.snapshot().state()).isEqualTo(QueryState.RUNNING);
        FakeEngine.Result result = open(0);
        ResultStream stream = now(query.stream());
        assertThat(query.snapshot().state()).isEqualTo(QueryState.STREAMING);

        CompletionStage<Boolean> first = stream.next();
        result.give(3);
        assertThat(now(first)).isTrue();
        stream.delivered(100);
        CompletionStage<Boolean> second = stream.next();
        result.end();
        assertThat(now(second)).isFalse();
        assertThat(admission.held).as("the last batch is not handed over yet").hasValue(1);

        stream.close();
        stream.close();
        result.idle();
        assertThat(result.closes).isEqualTo(1);
        assertThat(now(query.done()).state()).isEqualTo(QueryState.FINISHED);
        assertThat(admission.outcomes).containsExactly(RunPermit.Outcome.FINISHED);
        assertThat(ended).hasSize(1);
        assertThat(ended.get(0).rows()).isEqualTo(3);
        assertThat(ended.get(0).bytes()).isEqualTo(100);
    }

    @Test
    void aRowLimitFinishesTheQueryAlthoughTheEngineHasMore() {
        QueryExecution query = submit(ANN);
        FakeEngine.Result result = open(0);
        ResultStream stream = now(query.stream());
        CompletionStage<Boolean> first = stream.next();
        result.give(3);
        assertThat(now(first)).isTrue();
        stream.finishEarly();
        stream.close();
        result.idle();
        assertThat(now(query.done()).state()).isEqualTo(QueryState.FINISHED);
    }

    @Test
    void aCancelInTheQueueFreesThePlaceAtOnce() {
        admission.grantAtOnce = false;
        QueryExecution query = submit(ANN);
        assertThat(query.snapshot().state()).isEqualTo(QueryState.QUEUED);
        assertThat(query.snapshot().waitReason()).isEqualTo("max-running");

        assertThat(query.cancel(CancelReason.CLIENT_GONE)).isTrue();

        assertThat(admission.waiting.get(0).permit).isCompletedExceptionally();
        assertThat(now(query.done()).state()).isEqualTo(QueryState.CANCELLED);
        assertThat(failure(query.stream()).code()).isEqualTo(GatewayErrorCode.CANCELLED);
        assertThat(query.cancel(CancelReason.ADMIN)).as("a second cancel").isFalse();
    }

    @Test
    void aCancelBetweenGrantAndStreamReleasesThePermitOnce() {
        QueryExecution query = submit(ANN);
        query.cancel(CancelReason.CLIENT_GONE);
        FakeEngine.Result late = open(0);
        assertThat(late.closes).as("a result that nobody takes is closed").isEqualTo(1);
        late.idle();
        assertThat(now(query.done()).state()).isEqualTo(QueryState.CANCELLED);
        assertThat(admission.outcomes).containsExactly(RunPermit.Outcome.CANCELLED);
    }

    @Test
    void cancelledMeansThatTheEngineHasStopped() {
        QueryExecution query = submit(ANN);
        service.cancel(ANN, query.id());
        assertThat(engine.calls.get(0).cancelled).isTrue();
        timers.advance(Duration.ofSeconds(2));
        assertThat(query.snapshot().state()).isEqualTo(QueryState.CANCELLING);
        assertThat(query.snapshot().cancelling()).isEqualTo(Duration.ofSeconds(2));
        assertThat(admission.held).hasValue(1);

        engine.calls.get(0).stop();
        QuerySnapshot last = now(query.done());
        assertThat(last.state()).isEqualTo(QueryState.CANCELLED);
        assertThat(last.cancelReason()).isEqualTo(CancelReason.CLIENT_CANCEL);
        assertThat(last.cancelling()).isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void anEngineThatDoesNotStopKeepsNoPermitButStaysVisible() {
        QueryExecution query = submit(ANN);
        query.cancel(CancelReason.CLIENT_CANCEL);
        timers.advance(RunPlace.PERMIT_GRACE.minusMillis(1));
        assertThat(admission.held).hasValue(1);
        timers.advance(Duration.ofMillis(1));
        assertThat(admission.held).hasValue(0);
        timers.advance(Duration.ofMinutes(1));
        assertThat(service.find(ANN, query.id()).orElseThrow().state()).isEqualTo(QueryState.CANCELLING);
        engine.calls.get(0).stop();
        assertThat(service.find(ANN, query.id()).orElseThrow().state()).isEqualTo(QueryState.CANCELLED);
    }

    @Test
    void aStatementTimeoutNeverFreesTheReadersBatch() {
        QueryExecution query = submit(ANN);
        FakeEngine.Result result = open(0);
        ResultStream stream = now(query.stream());
        CompletionStage<Boolean> first = stream.next();
        result.give(3);
        assertThat(now(first)).isTrue();
        keepReading(stream, LIMITS.others().statementTimeout());

        assertThat(result.cancelled).as("a cancel frees the batch").isFalse();
        assertThat(result.closes).as("the reader still holds a batch").isZero();
        assertThat(now(stream.aborted()).code()).isEqualTo(GatewayErrorCode.STATEMENT_TIMEOUT);
        assertThat(failure(stream.next()).code()).isEqualTo(GatewayErrorCode.STATEMENT_TIMEOUT);
        assertThat(result.closes).isEqualTo(1);
        stream.close();
        result.idle();
        QuerySnapshot last = now(query.done());
        assertThat(last.state()).isEqualTo(QueryState.FAILED);
        assertThat(last.error()).isEqualTo(GatewayErrorCode.STATEMENT_TIMEOUT);
    }

    @Test
    void aReaderThatStopsIsFoundByTheStallClock() {
        QueryExecution query = submit(ANN);
        FakeEngine.Result result = open(0);
        ResultStream stream = now(query.stream());
        CompletionStage<Boolean> first = stream.next();
        timers.advance(Duration.ofMinutes(5));
        assertThat(query.snapshot().state())
                .as("the engine's time is not the reader's")
                .isEqualTo(QueryState.STREAMING);
        result.give(3);
        assertThat(now(first)).isTrue();
        timers.advance(Duration.ofSeconds(40));
        stream.delivered(1 << 20);
        timers.advance(Duration.ofSeconds(59));
        assertThat(query.snapshot().state()).isEqualTo(QueryState.STREAMING);
        stream.delivered(1000);
        timers.advance(Duration.ofSeconds(1));

        assertThat(now(stream.aborted()).code()).isEqualTo(GatewayErrorCode.CLIENT_STALLED);
        stream.close();
        result.idle();
        assertThat(now(query.done()).error()).isEqualTo(GatewayErrorCode.CLIENT_STALLED);
    }

    @Test
    void aStreamThatNobodyTakesIsEndedByTheStallClock() {
        QueryExecution query = submit(ANN);
        FakeEngine.Result result = open(0);
        timers.advance(LIMITS.others().clientStallTimeout());
        assertThat(result.closes).isEqualTo(1);
        result.idle();
        assertThat(now(query.done()).error()).isEqualTo(GatewayErrorCode.CLIENT_STALLED);
    }

    @Test
    void aFailureInTheMiddleOfAStreamReachesTheReaderWithItsCode() {
        QueryExecution query = submit(ANN);
        FakeEngine.Result result = open(0);
        ResultStream stream = now(query.stream());
        CompletionStage<Boolean> first = stream.next();
        result.fail(EngineFailure.EXECUTION, "Could not convert string 'x' to INT32");
        assertThat(failure(first).code()).isEqualTo(GatewayErrorCode.EXECUTION_FAILED);
        assertThat(failure(first).details().queryId()).isEqualTo(query.id());
        stream.close();
        result.idle();
        assertThat(now(query.done()).error()).isEqualTo(GatewayErrorCode.EXECUTION_FAILED);
    }

    @Test
    void aResultThatIsIdleBeforeItsReaderIsDoneEndsByTheReader() {
        QueryExecution query = submit(ANN);
        FakeEngine.Result result = open(0);
        ResultStream stream = now(query.stream());
        CompletionStage<Boolean> first = stream.next();
        result.end();
        result.idle();
        assertThat(now(first)).isFalse();
        assertThat(query.snapshot().state()).isEqualTo(QueryState.STREAMING);
        stream.close();
        assertThat(now(query.done()).state()).isEqualTo(QueryState.FINISHED);
    }

    @Test
    void aReaderThatGoesAwayWhileTheEngineWorksCancelsIt() {
        QueryExecution query = submit(ANN);
        FakeEngine.Result result = open(0);
        ResultStream stream = now(query.stream());
        stream.next();
        stream.close();
        assertThat(result.closes).isEqualTo(1);
        result.idle();
        assertThat(now(query.done()).cancelReason()).isEqualTo(CancelReason.CLIENT_GONE);
    }

    @Test
    void aRefusedStatementIsRegisteredAsFailed() {
        QueryExecution empty = service.submit(ANN, QueryRequest.of(Front.HTTP, " "));
        assertThat(failure(empty.stream()).code()).isEqualTo(GatewayErrorCode.INVALID_SQL);
        engine.scan = new StatementScan(StatementKind.DDL, Access.WRITE, 1, false);
        GatewayException forbidden = failure(submit(ANN).stream());
        assertThat(forbidden.code()).isEqualTo(GatewayErrorCode.FORBIDDEN);
        assertThat(forbidden.text()).contains("writer").contains("reader");
        engine.scan =
                new StatementScan(StatementKind.SESSION, Access.READ, 1, false, new SessionStatement.Begin(false));
        assertThat(failure(submit(ROOT).stream()).code()).isEqualTo(GatewayErrorCode.INVALID_REQUEST);
        assertThat(service.list(ROOT)).hasSize(3).allMatch(query -> query.state() == QueryState.FAILED);
    }

    @Test
    void aCallerMayAskForLessTimeButNotForMore() {
        GatewayException refused = failure(
                service
                        .submit(
                                ANN,
                                request(Optional.of(
                                        LIMITS.others().statementTimeout().plusMillis(1))))
                        .stream());
        assertThat(refused.code()).isEqualTo(GatewayErrorCode.INVALID_REQUEST);
        assertThat(refused.details().limit().name()).isEqualTo("statement-timeout");

        QueryExecution less = service.submit(ANN, request(Optional.of(Duration.ofSeconds(1))));
        timers.advance(Duration.ofSeconds(1));
        assertThat(failure(less.stream()).code()).isEqualTo(GatewayErrorCode.STATEMENT_TIMEOUT);
        engine.calls.get(0).stop();
    }

    @Test
    void aRejectionTellsLimitPositionAndWhenToRetry() {
        admission.grantAtOnce = false;
        QueryExecution full = submit(ANN);
        admission.waiting.get(0).refuse(new Rejection.QueueFull(Rejection.Scope.USER, "ann", 7, Duration.ofSeconds(3)));
        GatewayException failure = failure(full.stream());
        assertThat(failure.code()).isEqualTo(GatewayErrorCode.USER_LIMIT);
        assertThat(failure.details().limit()).isEqualTo(new ErrorDetails.Limit("user", "user.max-queued", "7"));
        assertThat(failure.details().retryAfter()).isEqualTo(Duration.ofSeconds(3));

        QueryExecution late = submit(ANN);
        admission
                .waiting
                .get(1)
                .refuse(new Rejection.QueueTimeout(
                        WaitReason.MEMORY, Duration.ofSeconds(60), 4, Duration.ofSeconds(9)));
        assertThat(failure(late.stream()).code()).isEqualTo(GatewayErrorCode.QUEUE_TIMEOUT);
        assertThat(failure(late.stream()).text()).contains("memory.budget").contains("position 4");
    }

    @Test
    void usersSeeTheirOwnQueriesAndAdminsAll() {
        QueryExecution mine = submit(ANN);
        assertThat(service.find(BOB, mine.id())).isEmpty();
        assertThat(service.cancel(BOB, mine.id())).isEmpty();
        assertThat(service.list(BOB)).isEmpty();
        assertThat(service.find(ROOT, mine.id())).isPresent();
        assertThat(service.cancel(ROOT, mine.id()).orElseThrow().cancelReason()).isEqualTo(CancelReason.ADMIN);
        engine.calls.get(0).stop();
        assertThat(service.list(ANN)).singleElement().matches(query -> query.state() == QueryState.CANCELLED);
    }

    @Test
    void describingHasADeadlineAndItsPlaceIsHeldUntilTheEngineStops() {
        var described = service.describe(ANN, "select len(range(50000000))", SessionSettings.NONE);
        timers.advance(LIMITS.describeTimeout());
        assertThat(failure(described).code()).isEqualTo(GatewayErrorCode.STATEMENT_TIMEOUT);
        assertThat(engine.describes.get(0).cancelled).isTrue();
        assertThat(lane.held).hasValue(1);
        engine.describes.get(0).stop();
        assertThat(lane.held).hasValue(0);
    }

    @Test
    void theInternalUserLeavesNoTrace() {
        Identity internal = new Identity(DefaultQueryService.INTERNAL_USER, List.of(), Role.READER);
        QueryExecution query = submit(internal);
        engine.calls.get(0).fail(EngineFailure.EXECUTION, "x");
        assertThat(now(query.done()).state()).isEqualTo(QueryState.FAILED);
        assertThat(service.list(ROOT)).isEmpty();
        assertThat(ended).isEmpty();
    }

    private QueryExecution submit(Identity identity) {
        return service.submit(identity, QueryRequest.of(Front.HTTP, "select 1"));
    }

    private static QueryRequest request(Optional<Duration> statementTimeout) {
        return new QueryRequest(
                Front.HTTP,
                "select 1",
                List.of(),
                SessionSettings.NONE,
                statementTimeout,
                Optional.empty(),
                OptionalLong.empty(),
                Priority.NORMAL,
                false,
                Map.of());
    }

    private FakeEngine.Result open(int call) {
        FakeEngine.Result result = engine.newResult();
        FakeEngine.Call<ArrowResult> opened = engine.calls.get(call);
        opened.open(result);
        return result;
    }

    /** Lets time pass with a reader that makes progress, so that only the statement's own clock can end it. */
    private void keepReading(ResultStream stream, Duration time) {
        for (long second = 0; second < time.toSeconds(); second++) {
            stream.delivered(1 << 20);
            timers.advance(Duration.ofSeconds(1));
        }
    }

    private static <T> T now(CompletionStage<T> stage) {
        assertThat(stage.toCompletableFuture()).isDone();
        return stage.toCompletableFuture().join();
    }

    private static GatewayException failure(CompletionStage<?> stage) {
        assertThat(stage.toCompletableFuture()).isCompletedExceptionally();
        CompletionException wrapped = catchThrowableOfType(
                CompletionException.class, () -> stage.toCompletableFuture().join());
        assertThat(wrapped).isNotNull();
        assertThat(wrapped.getCause()).isInstanceOf(GatewayException.class);
        return (GatewayException) wrapped.getCause();
    }
}
