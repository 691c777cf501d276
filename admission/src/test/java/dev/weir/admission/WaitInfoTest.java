package dev.weir.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;

class WaitInfoTest {

    @Test
    void theReasonIsTheLimitThatHoldsTheQuery() {
        Gate gate = new Gate(Limits.running(3).memory(100).userRunning(2));
        gate.submit("ann", 30);
        gate.submit("ann", 30);
        Gate.Query userCap = gate.submit("ann", 1);
        Gate.Query memory = gate.submit("bob", 50);

        assertThat(gate.wait(userCap).reason()).isEqualTo(WaitReason.USER_MAX_RUNNING);
        assertThat(gate.wait(memory).reason()).isEqualTo(WaitReason.MEMORY);

        gate.submit("cid", 1);
        Gate.Query cap = gate.submit("dan", 1);
        assertThat(gate.wait(cap).reason()).isEqualTo(WaitReason.MAX_RUNNING);
    }

    @Test
    void whoCouldRunButForOneThatHoldsTheHeadWaitsForItsTurn() {
        Gate gate = new Gate(Limits.running(10).memory(100));
        gate.submit("ann", 50);
        gate.submit("big", 60);
        for (int i = 0; i < FairQueue.MAX_PASSES; i++) {
            gate.submit("small" + i, 1).finish();
        }

        Gate.Query held = gate.submit("late", 1);

        assertThat(gate.wait(held).reason()).isEqualTo(WaitReason.TURN);
        assertThat(gate.wait(held).position()).isEqualTo(2);
    }

    @Test
    void positionsOfOneUserCountFromOne() {
        Gate gate = new Gate(Limits.running(1));
        gate.submit("ann");
        List<Gate.Query> waiting = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            waiting.add(gate.submit("ann"));
        }

        assertThat(waiting).extracting(query -> gate.wait(query).position()).containsExactly(1, 2, 3, 4, 5);
        waiting.get(1).admission.cancel();
        assertThat(gate.wait(waiting.get(4)).position()).isEqualTo(4);
        assertThat(gate.controller.waitInfo(waiting.get(1).id)).isEmpty();
    }

    @Test
    void positionsFollowTheOrderOfTurnsAndNotOfArrival() {
        Gate gate = new Gate(Limits.running(1));
        gate.learn("ann", Duration.ofSeconds(1));
        Gate.Query running = gate.submit("ann");
        List<Gate.Query> queries = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            queries.add(gate.submit("ann"));
        }
        queries.add(gate.submit("bob"));
        queries.add(gate.submit("bob"));
        List<String> byPosition = queries.stream()
                .sorted(Comparator.comparingInt(query -> gate.wait(query).position()))
                .map(query -> query.id)
                .toList();

        for (Gate.Query next = running; next != null; ) {
            gate.time.advance(Duration.ofSeconds(1));
            next.finish();
            next = queries.stream().filter(Gate.Query::isRunning).findFirst().orElse(null);
            queries.remove(next);
        }

        // The first was taught, the second ran before the positions were asked for.
        List<String> order = gate.granted.subList(2, gate.granted.size());
        assertThat(order.indexOf(byPosition.get(0))).isZero();
        assertThat(order.stream().filter(id -> id.startsWith("bob")).map(order::indexOf))
                .containsExactly(0, 2);
        assertThat(byPosition.stream().filter(id -> id.startsWith("bob")).map(byPosition::indexOf))
                .containsExactly(0, 2);
    }

    @Test
    void theWaitIsPredictedFromMeasuredRunTimes() {
        Gate gate = new Gate(Limits.running(2));
        Gate.Query first = gate.submit("ann");
        Gate.Query second = gate.submit("ann");
        Gate.Query unknown = gate.submit("ann");
        assertThat(gate.wait(unknown).predictedWait())
                .as("nothing was measured yet")
                .isEmpty();
        unknown.admission.cancel();
        gate.time.advance(Duration.ofSeconds(10));
        first.finish();
        second.finish();
        gate.submit("ann");
        gate.submit("ann");
        gate.time.advance(Duration.ofSeconds(3));

        Gate.Query third = gate.submit("ann");
        Gate.Query fourth = gate.submit("ann");

        // Two at a time, 10 s each: one leaves every 5 s.
        assertThat(gate.wait(third).predictedWait()).contains(Duration.ofSeconds(5));
        assertThat(gate.wait(fourth).predictedWait()).contains(Duration.ofSeconds(10));
        gate.time.advance(Duration.ofSeconds(2));
        assertThat(gate.wait(third).waited()).isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void whoOverrunsItsExpectationLengthensThePrediction() {
        Gate gate = new Gate(Limits.running(1));
        gate.learn("ann", Duration.ofSeconds(1));
        gate.submit("ann");
        Gate.Query waiting = gate.submit("bob");

        gate.time.advance(Duration.ofSeconds(30));

        assertThat(gate.wait(waiting).predictedWait()).contains(Duration.ofSeconds(30));
    }

    @Test
    void atTheOwnCapThePredictionCountsTheUsersOwnQueries() {
        Gate gate = new Gate(Limits.running(10).userRunning(1));
        gate.learn("ann", Duration.ofSeconds(4));
        gate.submit("ann");
        gate.submit("ann");

        Gate.Query waiting = gate.submit("ann");

        assertThat(gate.wait(waiting).predictedWait()).contains(Duration.ofSeconds(8));
    }

    @Test
    void nobodyWaitsUnderAnIdThatRunsOrIsUnknown() {
        Gate gate = new Gate(Limits.running(1));
        Gate.Query running = gate.submit("ann");

        assertThat(gate.controller.waitInfo(running.id)).isEmpty();
        assertThat(gate.controller.waitInfo("nobody")).isEmpty();
    }

    @Test
    void allCountersAreThereFromTheStart() {
        Gate gate = new Gate(Limits.running(1));

        assertThat(gate.controller.snapshot())
                .isEqualTo(Gate.nothing(Limits.running(1).build()));
        assertThat(gate.controller.listenerFailures()).isZero();
    }
}
