package dev.weir.gateway.query;

import static dev.weir.gateway.query.QueryHarness.ANN;
import static dev.weir.gateway.query.QueryHarness.now;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Pulls against pauses, on two threads: the engine never works for a query without a slot. */
class PauseRaceTest {

    private static final Duration EVER = Duration.ofDays(50_000);
    private static final int PULLS = 20_000;

    private final QueryHarness harness = new QueryHarness(EVER, EVER);

    @Test
    void theEngineNeverWorksForAQueryThatLentItsSlot() throws Exception {
        harness.admission.pausesAllowed = true;
        QueryExecution query = harness.submit(ANN);
        FakeEngine.Result result = harness.open(0);
        ResultStream stream = now(query.stream());
        AtomicBoolean over = new AtomicBoolean();
        Thread time = new Thread(() -> {
            while (!over.get()) {
                harness.timers.advance(Duration.ofMillis(500));
            }
        });
        time.start();
        int working = 0;
        try {
            for (int pull = 0; pull < PULLS; pull++) {
                CompletionStage<Boolean> next = stream.next();
                working += harness.admission.pausedNow.get();
                if (pull % 16 == 0) {
                    Thread.yield();
                }
                working += harness.admission.pausedNow.get();
                result.root.setRowCount(0);
                result.pull.complete(true);
                assertThat(next.toCompletableFuture()).isDone();
            }
        } finally {
            over.set(true);
            time.join();
        }
        assertThat(working)
                .as("looks at which the engine worked without a slot")
                .isZero();
        assertThat(harness.admission.pausesAsked).as("pauses that were tried").isPositive();
        stream.close();
        result.idle();
        assertThat(now(query.done()).state()).isEqualTo(QueryState.CANCELLED);
        harness.everythingIsGivenBack();
    }
}
