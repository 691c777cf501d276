package dev.weir.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class CancelTest {

    @Test
    void aCancelledWaiterLeavesAllCountersBeforeCancelReturns() {
        List<Runnable> neverRun = new ArrayList<>();
        Gate gate = new Gate(Limits.running(1).queued(1).userQueued(1), neverRun::add);
        Gate.Query running = gate.submit("ann");
        Gate.Query waiting = gate.submit("bob");

        assertThat(waiting.admission.cancel()).isTrue();

        AdmissionSnapshot now = gate.controller.snapshot();
        assertThat(now.queued()).isZero();
        assertThat(now.users()).containsExactly(new AdmissionSnapshot.User("ann", "default", 1, 0, 0, 0, 1));
        assertThat(gate.submit("bob").isWaiting()).as("its place is free").isTrue();
        running.finish();
    }

    @Test
    void aCancelledWaiterIsToldSoOnce() {
        Gate gate = new Gate(Limits.running(1));
        gate.submit("ann");
        Gate.Query waiting = gate.submit("ann");

        assertThat(waiting.admission.cancel()).isTrue();
        assertThat(waiting.admission.cancel()).isFalse();

        assertThat(waiting.cancelled).isTrue();
        assertThat(gate.events).endsWith("queued " + waiting.id, "cancelled " + waiting.id);
    }

    @Test
    void cancelAfterTheGrantDoesNothingAndThePermitIsReleasedOnce() {
        List<Runnable> handedOver = new ArrayList<>();
        Gate gate = new Gate(Limits.running(1), handedOver::add);
        Gate.Query first = gate.submit("ann");
        Gate.Query second = gate.submit("ann");
        Gate.Query third = gate.submit("ann");
        first.finish();

        // Granted, but not heard of yet.
        assertThat(second.isRunning()).isFalse();
        assertThat(second.admission.cancel()).isFalse();
        assertThat(gate.controller.snapshot().running()).isEqualTo(1);

        handedOver.remove(0).run();
        second.permit.close(RunPermit.Outcome.CANCELLED);
        second.permit.close(RunPermit.Outcome.FINISHED);
        handedOver.remove(0).run();
        assertThat(handedOver).isEmpty();
        third.finish();
        gate.assertIdle();
    }

    @Test
    void cancellingOneInTheMiddleKeepsTheOrderOfTheOthers() {
        Gate gate = new Gate(Limits.running(1));
        Gate.Query running = gate.submit("ann");
        Gate.Query second = gate.submit("ann");
        Gate.Query third = gate.submit("ann");
        Gate.Query fourth = gate.submit("ann");

        third.admission.cancel();
        running.finish();
        second.finish();
        fourth.finish();

        assertThat(gate.granted).containsExactly(running.id, second.id, fourth.id);
        gate.assertIdle();
    }

    @Test
    void cancellingWhoHeldTheHeadForMemoryLetsTheOthersRun() {
        Gate gate = new Gate(Limits.running(10).memory(100));
        gate.submit("ann", 50);
        Gate.Query big = gate.submit("big", 60);
        for (int i = 0; i < FairQueue.MAX_PASSES; i++) {
            gate.submit("small" + i, 1).finish();
        }
        Gate.Query held = gate.submit("late", 1);
        assertThat(held.isWaiting()).isTrue();

        big.admission.cancel();

        assertThat(held.isRunning()).isTrue();
    }

    @Test
    void cancellingTheFutureGivesTheRequestUp() {
        Gate gate = new Gate(Limits.running(1));
        gate.submit("ann");
        Gate.Query waiting = gate.submit("ann");

        ((CompletableFuture<RunPermit>) waiting.admission.permit()).cancel(true);

        assertThat(waiting.cancelled).isTrue();
        assertThat(gate.controller.snapshot().queued()).isZero();
    }

    @Test
    void nobodyButTheControllerCompletesTheStage() {
        Gate gate = new Gate(Limits.running(1));
        Gate.Query running = gate.submit("ann");
        Gate.Query waiting = gate.submit("ann");
        CompletionStage<RunPermit> stage = waiting.admission.permit();

        assertThatThrownBy(() -> ((CompletableFuture<RunPermit>) stage).complete(null))
                .isInstanceOf(UnsupportedOperationException.class);
        stage.toCompletableFuture().complete(null);
        running.finish();

        assertThat(waiting.isRunning()).isTrue();
    }
}
