package dev.weir.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RunningCapTest {

    @Test
    void aQueryThatFindsASlotFreeIsGrantedBeforeAdmitReturns() {
        List<Runnable> handedOver = new ArrayList<>();
        Gate gate = new Gate(Limits.running(1), handedOver::add);

        Gate.Query query = gate.submit("ann");

        assertThat(query.isRunning()).isTrue();
        assertThat(query.permit.queuedNanos()).isZero();
        assertThat(handedOver).isEmpty();
    }

    @Test
    void theContinuationOfAWaiterRunsOnTheExecutor() {
        List<Runnable> handedOver = new ArrayList<>();
        Gate gate = new Gate(Limits.running(1), handedOver::add);
        Gate.Query first = gate.submit("ann");
        Gate.Query second = gate.submit("ann");
        gate.time.advance(Duration.ofSeconds(2));

        first.finish();

        assertThat(second.isRunning()).isFalse();
        assertThat(gate.controller.snapshot().running()).isEqualTo(1);
        handedOver.forEach(Runnable::run);
        assertThat(second.isRunning()).isTrue();
        assertThat(second.permit.queuedNanos()).isEqualTo(Duration.ofSeconds(2).toNanos());
    }

    @Test
    void noMoreThanTheCapRunAndTheRestWait() {
        Gate gate = new Gate(Limits.running(3));

        List<Gate.Query> queries =
                IntStream.range(0, 5).mapToObj(i -> gate.submit("user" + i)).toList();

        assertThat(queries).extracting(Gate.Query::isRunning).containsExactly(true, true, true, false, false);
        assertThat(gate.controller.snapshot().running()).isEqualTo(3);
        assertThat(gate.controller.snapshot().queued()).isEqualTo(2);
    }

    @Test
    void aUserAtTheOwnCapIsSkippedAndBlocksNobody() {
        Gate gate = new Gate(Limits.running(3).userRunning(1));
        Gate.Query annRuns = gate.submit("ann");
        Gate.Query annWaits = gate.submit("ann");

        Gate.Query bob = gate.submit("bob");
        Gate.Query cid = gate.submit("cid");

        assertThat(annWaits.isWaiting()).isTrue();
        assertThat(bob.isRunning()).isTrue();
        assertThat(cid.isRunning()).isTrue();
        annRuns.finish();
        assertThat(annWaits.isRunning()).isTrue();
    }

    @Test
    void aNewcomerNeverOvertakesAWaiter() {
        Gate gate = new Gate(Limits.running(1));
        Gate.Query running = gate.submit("user");
        List<String> arrivals = new ArrayList<>(List.of(running.id));
        List<Gate.Query> waiting = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            waiting.add(gate.submit("user"));
        }
        waiting.forEach(query -> arrivals.add(query.id));

        while (running != null) {
            gate.time.advance(Duration.ofMillis(10));
            running.finish();
            Gate.Query newcomer = gate.submit("user");
            arrivals.add(newcomer.id);
            assertThat(newcomer.isWaiting()).isTrue();
            running = waiting.isEmpty() ? null : waiting.remove(0);
            assertThat(running == null || running.isRunning())
                    .as("the slot was handed on before close returned")
                    .isTrue();
        }

        assertThat(gate.granted).isEqualTo(arrivals.subList(0, gate.granted.size()));
    }

    @Test
    void aNewcomerOfAnotherUserNeverOvertakesAWaiterThatCouldRun() {
        Gate gate = new Gate(Limits.running(1));
        Gate.Query running = gate.submit("user0");
        List<String> arrivals = new ArrayList<>(List.of(running.id));
        List<Gate.Query> waiting = new ArrayList<>();
        for (int i = 1; i <= 100; i++) {
            waiting.add(gate.submit("user" + i));
        }
        waiting.forEach(query -> arrivals.add(query.id));

        for (int i = 0; i < 100; i++) {
            running.finish();
            gate.submit("late" + i);
            running = waiting.get(i);
        }

        assertThat(gate.granted).isEqualTo(arrivals);
    }

    @Test
    void closingAPermitTwiceFreesOneSlot() {
        Gate gate = new Gate(Limits.running(1));
        Gate.Query first = gate.submit("ann");
        Gate.Query second = gate.submit("ann");
        Gate.Query third = gate.submit("ann");

        first.permit.close(RunPermit.Outcome.FINISHED);
        first.permit.close(RunPermit.Outcome.CANCELLED);
        first.permit.close(RunPermit.Outcome.FAILED);

        assertThat(second.isRunning()).isTrue();
        assertThat(third.isWaiting()).isTrue();
        assertThat(gate.events.stream().filter(event -> event.startsWith("released")))
                .hasSize(1);
        second.finish();
        third.finish();
        gate.assertIdle();
    }

    @Test
    void fiveHundredQueuedQueriesStartAtTheCapWhenSlotsComeBack() {
        Gate gate = new Gate(Limits.running(1));
        Gate.Query only = gate.submit("ann");
        for (int i = 0; i < 500; i++) {
            gate.submit("user" + i % 7);
        }

        gate.controller.update(Limits.running(8).build());

        assertThat(gate.controller.snapshot().running()).isEqualTo(8);
        only.finish();
        assertThat(gate.controller.snapshot().running()).isEqualTo(8);
        assertThat(gate.controller.snapshot().queued()).isEqualTo(492);
    }
}
