package dev.weir.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class PauseTest {

    private final Gate gate = new Gate(Tree.running(1));

    @Test
    void aPausedQueryLendsItsSlotAndKeepsItsMemory() {
        Gate.Query slow = gate.submit("ann");
        Gate.Query waiter = gate.submit("bob");

        assertThat(slow.permit.pause()).isTrue();

        assertThat(waiter.isRunning()).isTrue();
        AdmissionSnapshot now = gate.controller.snapshot();
        assertThat(now.running()).isEqualTo(1);
        assertThat(now.paused()).isEqualTo(1);
        assertThat(now.reservedBytes()).isEqualTo(8);
        assertThat(slow.permit.pause()).as("once").isFalse();
    }

    @Test
    void itTakesASlotAgainAheadOfThoseWhoWait() {
        Gate.Query slow = gate.submit("ann");
        Gate.Query second = gate.submit("bob");
        Gate.Query third = gate.submit("cid");
        slow.permit.pause();

        CompletionStage<Void> resumed = slow.permit.resume();
        assertThat(resumed.toCompletableFuture()).isNotDone();
        second.finish();

        assertThat(resumed.toCompletableFuture()).isCompleted();
        assertThat(third.isWaiting()).isTrue();
        assertThat(gate.events).containsSubsequence("paused " + slow.id, "resumed " + slow.id);
        slow.finish();
        assertThat(third.isRunning()).isTrue();
        third.finish();
        gate.assertIdle();
    }

    @Test
    void aFreeSlotIsTakenAtOnceAndARunningQueryHasOne() {
        Gate.Query slow = gate.submit("ann");
        assertThat(slow.permit.resume().toCompletableFuture()).isCompleted();
        slow.permit.pause();

        assertThat(slow.permit.resume().toCompletableFuture()).isCompleted();

        assertThat(gate.controller.snapshot().running()).isEqualTo(1);
        assertThat(gate.controller.snapshot().paused()).isZero();
    }

    @Test
    void closingWhilePausedOrWhileItWaitsForItsSlotGivesAllBackOnce() {
        Gate.Query paused = gate.submit("ann");
        paused.permit.pause();
        Gate.Query resuming = gate.submit("bob");
        resuming.permit.pause();
        Gate.Query running = gate.submit("cid");
        CompletionStage<Void> stage = resuming.permit.resume();

        paused.finish();
        paused.finish();
        resuming.finish();

        assertThat(stage.toCompletableFuture()).isCompletedExceptionally();
        assertThat(resuming.permit.resume().toCompletableFuture())
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withRootCauseInstanceOf(CancellationException.class);
        assertThat(resuming.permit.pause()).isFalse();
        running.finish();
        gate.assertIdle();
    }

    @Test
    void pausesAreCappedForAllAndForAUser() {
        Gate capped = new Gate(Tree.running(9).paused(2).group("default", Tree.userPaused(1)));
        Gate.Query ann1 = capped.submit("ann");
        Gate.Query ann2 = capped.submit("ann");
        Gate.Query bob = capped.submit("bob");
        Gate.Query cid = capped.submit("cid");

        assertThat(ann1.permit.pause()).isTrue();
        assertThat(ann2.permit.pause()).as("user.max-paused").isFalse();
        assertThat(bob.permit.pause()).isTrue();
        assertThat(cid.permit.pause()).as("max-paused").isFalse();
    }

    @Test
    void pausedQueriesFinishDuringADrain() {
        Gate.Query slow = gate.submit("ann");
        slow.permit.pause();
        Gate.Query other = gate.submit("bob");
        CompletionStage<Void> drained = gate.controller.drain();
        CompletionStage<Void> resumed = slow.permit.resume();

        other.finish();

        assertThat(resumed.toCompletableFuture()).isCompleted();
        assertThat(drained.toCompletableFuture()).isNotDone();
        slow.finish();
        assertThat(drained.toCompletableFuture()).isCompleted();
    }

    @Test
    void timeWithoutASlotIsNotLearnedAsRunTime() {
        Gate.Query slow = gate.submit(gate.request("ann", "x"));
        gate.time.advance(Duration.ofSeconds(1));
        slow.permit.pause();
        gate.time.advance(Duration.ofHours(1));
        slow.permit.resume();
        gate.time.advance(Duration.ofSeconds(1));
        slow.finish();

        assertThat(gate.controller.history(10))
                .anySatisfy(stats -> assertThat(stats.mean()).isEqualTo(Duration.ofSeconds(2)));
    }
}
