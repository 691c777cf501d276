package dev.weir.gateway.query;

import static dev.weir.gateway.query.QueryHarness.ANN;
import static dev.weir.gateway.query.QueryHarness.STALL;
import static dev.weir.gateway.query.QueryHarness.STATEMENT;
import static dev.weir.gateway.query.QueryHarness.now;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.admission.AdmissionController;
import dev.weir.admission.AdmissionControllers;
import dev.weir.admission.AdmissionLimits;
import dev.weir.admission.AdmissionListener;
import dev.weir.engine.EngineFailure;
import dev.weir.gateway.query.AdmissionTrail.Decision;
import dev.weir.gateway.query.AdmissionTrail.Step;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Queries that wait again, under the real controller. */
class ReturnedTest {

    private static final long MIB = 1 << 20;
    private static final Duration QUEUE_TIMEOUT = Duration.ofSeconds(60);

    private final FakeEngine engine = new FakeEngine();
    private final FakeTimers timers = new FakeTimers();
    private final AdmissionRelay relay = new AdmissionRelay();
    private final AdmissionController admission = controller(relay);
    private final List<Decision> told = new ArrayList<>();
    private final DefaultQueryService service = new DefaultQueryService(
            engine,
            new DefaultQueryService.Controllers(
                    admission, relay, controller(AdmissionListener.NONE), controller(AdmissionListener.NONE)),
            new FakeLimits(new QueryLimits(QUEUE_TIMEOUT, STATEMENT, STALL, Duration.ofSeconds(30))),
            timers,
            Clock.fixed(Instant.parse("2026-01-01T00:00:00Z"), ZoneOffset.UTC),
            new QueryListener() {
                @Override
                public void decided(String queryId, Step step) {
                    told.add(step.decision());
                }
            });

    private AdmissionController controller(AdmissionListener listener) {
        AdmissionLimits limits = AdmissionLimits.flat(2, 9, QUEUE_TIMEOUT, 4096 * MIB, 1024 * MIB, 4096 * MIB, 2, 9);
        return AdmissionControllers.create(
                limits,
                timers::nanoTime,
                (task, nanos) -> timers.schedule(Duration.ofNanos(nanos), task)::cancel,
                Runnable::run,
                listener);
    }

    @AfterEach
    void everythingIsGivenBack() {
        assertThat(admission.snapshot().running()).isZero();
        assertThat(admission.snapshot().queued()).isZero();
        assertThat(admission.snapshot().reservedBytes()).isZero();
        assertThat(admission.listenerFailures()).isZero();
        engine.close();
    }

    private QueryExecution submit() {
        return service.submit(ANN, QueryRequest.of(Front.HTTP, "select 1"));
    }

    private void busy(int call) {
        engine.calls.get(call).fail(EngineFailure.BUSY, "no place");
    }

    /** Opens a call and reads its empty result. */
    private void run(QueryExecution query, int call, long peak) {
        FakeEngine.Result result = engine.newResult();
        result.peakMemoryBytes = peak == 0 ? OptionalLong.empty() : OptionalLong.of(peak);
        engine.calls.get(call).open(result);
        ResultStream stream = now(query.stream());
        CompletionStage<Boolean> next = stream.next();
        result.end();
        assertThat(now(next)).isFalse();
        stream.close();
        result.idle();
        assertThat(now(query.done()).state()).isEqualTo(QueryState.FINISHED);
    }

    private static List<String> steps(QuerySnapshot query) {
        return query.admission().steps().stream()
                .map(step -> step.at().toMillis() + " " + step.decision())
                .toList();
    }

    @Test
    void aQueryThatIsSentBackTellsItsWayAndRunsAfterItsBackoff() {
        QueryExecution query = submit();
        busy(0);
        assertThat(query.snapshot().waitReason()).isEqualTo("the engine, which has no place free");
        assertThat(query.snapshot().position()).isEqualTo(1);
        timers.advance(Duration.ofMillis(100));
        busy(1);
        timers.advance(Duration.ofMillis(199));
        assertThat(engine.calls).hasSize(2);
        timers.advance(Duration.ofMillis(1));
        run(query, 2, 0);
        assertThat(steps(now(query.done())))
                .containsExactly(
                        "0 GRANTED", "0 RETURNED", "100 GRANTED", "100 RETURNED", "300 GRANTED", "300 RELEASED");
        assertThat(told)
                .containsExactly(
                        Decision.GRANTED,
                        Decision.RETURNED,
                        Decision.GRANTED,
                        Decision.RETURNED,
                        Decision.GRANTED,
                        Decision.RELEASED);
    }

    @Test
    void anEngineThatStaysFullIsAQueueTimeout() {
        QueryExecution query = submit();
        busy(0);
        int calls = 1;
        Duration waited = Duration.ZERO;
        while (!query.done().toCompletableFuture().isDone()) {
            timers.advance(Duration.ofMillis(100));
            waited = waited.plusMillis(100);
            if (engine.calls.size() > calls) {
                busy(calls++);
            }
        }
        assertThat(waited).isEqualTo(QUEUE_TIMEOUT);
        QuerySnapshot last = now(query.done());
        assertThat(last.error()).isEqualTo(GatewayErrorCode.QUEUE_TIMEOUT);
        assertThat(last.errorMessage()).contains("the engine, which has no place free");
        assertThat(calls).as("a try in two seconds").isBetween(30, 36);
        assertThat(last.admission().steps()).hasSizeLessThan(40);
        assertThat(last.admission()
                        .steps()
                        .get(last.admission().steps().size() - 1)
                        .decision())
                .isEqualTo(Decision.REJECTED);
    }

    @Test
    void drainingEndsAQueryThatWaitsAgain() {
        QueryExecution query = submit();
        busy(0);
        CompletionStage<Void> drained = service.drain(Duration.ofSeconds(1));
        assertThat(now(query.done()).error()).isEqualTo(GatewayErrorCode.DRAINING);
        assertThat(drained.toCompletableFuture()).isDone();
    }

    @Test
    void whatWasMeasuredIsReservedAndTakenBackWhenItWasTooLittle() {
        admission.learnMemory(true);
        for (int call = 0; call < 3; call++) {
            run(submit(), call, 100 * MIB);
        }
        QueryExecution query = submit();
        assertThat(query.snapshot().reservedBytes()).isEqualTo(150 * MIB);
        assertThat(engine.queries.get(3).context().memoryBytes()).isEqualTo(150 * MIB);

        engine.calls.get(3).fail(EngineFailure.MEMORY, "too much");

        assertThat(engine.queries.get(4).context().memoryBytes()).isEqualTo(1024 * MIB);
        assertThat(query.snapshot().reservedBytes()).isEqualTo(1024 * MIB);
        run(query, 4, 500 * MIB);
        assertThat(steps(now(query.done()))).containsExactly("0 GRANTED", "0 RETURNED", "0 GRANTED", "0 RELEASED");
        QueryExecution next = submit();
        assertThat(next.snapshot().reservedBytes()).as("it is learned").isEqualTo(750 * MIB);
        run(next, 5, 0);
    }
}
