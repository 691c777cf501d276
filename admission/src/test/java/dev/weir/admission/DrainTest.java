package dev.weir.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class DrainTest {

    @Test
    void drainRefusesWaitersAndNewcomersAndCompletesWithTheLastPermit() {
        Gate gate = new Gate(Limits.running(2));
        Gate.Query first = gate.submit("ann");
        Gate.Query second = gate.submit("bob");
        Gate.Query waiting = gate.submit("cid");

        CompletableFuture<Void> drained = gate.controller.drain().toCompletableFuture();

        assertThat(gate.controller.snapshot().draining()).isTrue();
        assertThat(waiting.rejection)
                .isInstanceOfSatisfying(
                        Rejection.Draining.class,
                        draining -> assertThat(draining.retryAfter()).isPositive());
        first.finish();
        assertThat(gate.submit("dan").rejection).isInstanceOf(Rejection.Draining.class);
        assertThat(drained).isNotDone();
        second.finish();
        assertThat(drained).isCompleted();
        gate.assertIdle();
    }

    @Test
    void anIdleControllerIsDrainedAtOnceAndAgain() {
        Gate gate = new Gate(Limits.running(2));

        assertThat(gate.controller.drain().toCompletableFuture()).isCompleted();
        assertThat(gate.controller.drain().toCompletableFuture()).isCompleted();
    }

    @Test
    void aHigherCapDoesNotGrantWhileDraining() {
        Gate gate = new Gate(Limits.running(1));
        gate.submit("ann");
        gate.controller.drain();

        gate.controller.update(Limits.running(5).build());

        assertThat(gate.submit("bob").rejection).isInstanceOf(Rejection.Draining.class);
    }

    @Test
    void aLongQueueIsRefusedWhole() {
        Gate gate = new Gate(Limits.running(1));
        Gate.Query running = gate.submit("ann");
        List<Gate.Query> waiting = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            waiting.add(gate.submit("user" + i % 7));
        }

        CompletableFuture<Void> drained = gate.controller.drain().toCompletableFuture();
        running.finish();

        assertThat(waiting).allMatch(query -> query.rejection instanceof Rejection.Draining);
        assertThat(drained).isCompleted();
        gate.assertIdle();
    }

    @Test
    void aPermitClosedInTheMiddleOfADrainIsGivenToNobody() {
        Gate gate = new Gate(Limits.running(1));
        Gate.Query running = gate.submit("ann");
        List<Gate.Query> waiting = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            waiting.add(gate.submit("user" + i % 7));
        }
        // The first to be refused closes the permit while the others are not refused yet.
        waiting.get(0).admission.permit().whenComplete((permit, refused) -> running.finish());

        CompletableFuture<Void> drained = gate.controller.drain().toCompletableFuture();

        assertThat(waiting).allMatch(query -> query.rejection instanceof Rejection.Draining);
        assertThat(drained).isCompleted();
        gate.assertIdle();
    }

    @Test
    void afterAResumeQueriesAreTakenAgainAndThePromiseOfTheDrainIsBroken() {
        Gate gate = new Gate(Limits.running(1));
        Gate.Query first = gate.submit("ann");
        Gate.Query refused = gate.submit("bob");
        CompletableFuture<Void> drained = gate.controller.drain().toCompletableFuture();

        gate.controller.resume();

        assertThat(drained).isCompletedExceptionally();
        assertThat(gate.controller.snapshot().draining()).isFalse();
        assertThat(refused.rejection).isInstanceOf(Rejection.Draining.class);
        Gate.Query second = gate.submit("cid");
        assertThat(second.rejection).isNull();
        CompletableFuture<Void> again = gate.controller.drain().toCompletableFuture();
        assertThat(again).isNotDone();
        assertThat(second.rejection).isInstanceOf(Rejection.Draining.class);
        first.finish();
        assertThat(again).isCompleted();
        gate.controller.resume();
        assertThat(again).isCompletedWithValue(null);
        Gate.Query third = gate.submit("dan");
        assertThat(third.rejection).isNull();
        third.finish();
        gate.assertIdle();
    }

    @Test
    void aResumeWithoutADrainChangesNothing() {
        Gate gate = new Gate(Limits.running(1));

        gate.controller.resume();

        assertThat(gate.controller.drain().toCompletableFuture()).isCompleted();
    }
}
