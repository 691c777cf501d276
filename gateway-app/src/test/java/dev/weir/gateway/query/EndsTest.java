package dev.weir.gateway.query;

import static dev.weir.gateway.query.QueryHarness.ANN;
import static dev.weir.gateway.query.QueryHarness.EVE;
import static dev.weir.gateway.query.QueryHarness.failure;
import static dev.weir.gateway.query.QueryHarness.now;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.admission.Priority;
import dev.weir.admission.RunPermit;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.SessionSettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One query's end depends neither on its time in the queue, nor on an engine that takes no call, nor on a neighbour. */
class EndsTest {

    private final QueryHarness harness = new QueryHarness();

    @AfterEach
    void everythingIsGivenBack() {
        harness.everythingIsGivenBack();
    }

    @Test
    void timeInTheQueueIsNoRunTime() {
        harness.admission.grantAtOnce = false;
        QueryExecution query = harness.service.submit(ANN, request(Duration.ofSeconds(1), Duration.ofSeconds(40)));
        assertThat(harness.admission.waiting.get(0).request.queueTimeout())
                .as("longer than the statement may run")
                .hasSeconds(40);

        harness.timers.advance(Duration.ofSeconds(39));
        assertThat(query.snapshot().state()).isEqualTo(QueryState.QUEUED);
        harness.admission.waiting.get(0).grant();
        harness.timers.advance(Duration.ofMillis(999));
        assertThat(query.snapshot().state()).isEqualTo(QueryState.RUNNING);
        harness.timers.advance(Duration.ofMillis(1));

        assertThat(failure(query.stream()).code()).isEqualTo(GatewayErrorCode.STATEMENT_TIMEOUT);
        harness.engine.calls.get(0).stop();
        assertThat(now(query.done()).state()).isEqualTo(QueryState.FAILED);
    }

    private static QueryRequest request(Duration statementTimeout, Duration queueTimeout) {
        return new QueryRequest(
                Front.HTTP,
                "select 1",
                List.of(),
                SessionSettings.NONE,
                Optional.of(statementTimeout),
                Optional.of(queueTimeout),
                OptionalLong.empty(),
                Priority.NORMAL,
                false,
                Map.of());
    }

    @Test
    void anEngineThatTakesNoCallKeepsNoPermit() {
        for (RuntimeException refusal : List.of(
                new RejectedExecutionException("full"), new EngineException(EngineFailure.UNAVAILABLE, "busy"))) {
            harness.engine.refusal = refusal;
            assertThat(now(harness.submit(ANN).done()).state()).isEqualTo(QueryState.FAILED);
            assertThat(harness.admission.held).hasValue(0);
            assertThat(harness.service.describe(ANN, "select 1", SessionSettings.NONE))
                    .isCompletedExceptionally();
            assertThat(harness.lane.held).hasValue(0);
        }
        assertThat(harness.admission.outcomes).containsExactly(RunPermit.Outcome.FAILED, RunPermit.Outcome.FAILED);
        assertThat(harness.ended).hasSize(2);

        harness.engine.refusal = null;
        QueryExecution next = harness.submit(ANN);
        assertThat(next.snapshot().state()).isEqualTo(QueryState.RUNNING);
        next.cancel(CancelReason.CLIENT_CANCEL);
        harness.engine.calls.get(0).stop();
    }

    @Test
    void anEngineThatNeverStopsForOneQueryHoldsUpNoOthersEnd() {
        QueryExecution stuck = harness.submit(ANN);
        QueryExecution other = harness.submit(EVE);
        harness.timers.advance(QueryHarness.STATEMENT);
        assertThat(harness.engine.calls).allMatch(call -> call.cancelled);

        harness.engine.calls.get(1).stop();
        assertThat(now(other.done()).error()).isEqualTo(GatewayErrorCode.STATEMENT_TIMEOUT);
        assertThat(harness.admission.held).hasValue(1);
        harness.timers.advance(RunPlace.PERMIT_GRACE);
        assertThat(harness.admission.held).hasValue(0);

        QueryExecution later = harness.submit(EVE);
        harness.timers.advance(QueryHarness.STATEMENT);
        harness.engine.calls.get(2).stop();
        assertThat(now(later.done()).error()).isEqualTo(GatewayErrorCode.STATEMENT_TIMEOUT);
        assertThat(stuck.snapshot().state()).as("shown until it stops").isEqualTo(QueryState.CANCELLING);
        harness.engine.calls.get(0).stop();
        assertThat(now(stuck.done()).state()).isEqualTo(QueryState.FAILED);
        assertThat(harness.admission.outcomes).hasSize(3);
    }
}
