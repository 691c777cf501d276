package dev.weir.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class UpdateTest {

    @Test
    void aLowerCapDrainsAndWhatRunsStaysCounted() {
        Gate gate = new Gate(Limits.running(4));
        List<Gate.Query> running = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            running.add(gate.submit("ann"));
        }
        Gate.Query waiting = gate.submit("ann");

        gate.controller.update(Limits.running(2).build());

        assertThat(gate.controller.snapshot().running()).isEqualTo(4);
        running.get(0).finish();
        running.get(1).finish();
        assertThat(waiting.isWaiting()).isTrue();
        running.get(2).finish();
        assertThat(waiting.isRunning()).isTrue();
        assertThat(gate.controller.snapshot().running()).isEqualTo(2);
    }

    @Test
    void aHigherCapGrantsBeforeUpdateReturns() {
        Gate gate = new Gate(Limits.running(1).userRunning(1));
        gate.submit("ann");
        Gate.Query second = gate.submit("ann");
        Gate.Query third = gate.submit("bob");

        gate.controller.update(Limits.running(2).userRunning(1).build());
        assertThat(third.isRunning()).isTrue();
        assertThat(second.isWaiting()).isTrue();

        gate.controller.update(Limits.running(3).userRunning(2).build());
        assertThat(second.isRunning()).isTrue();
    }

    @Test
    void aLargerBudgetGrantsAtOnceAndASmallerOneDrains() {
        Gate gate = new Gate(Limits.running(10).memory(100));
        Gate.Query first = gate.submit("ann", 80);
        Gate.Query second = gate.submit("bob", 40);

        gate.controller.update(Limits.running(10).memory(120).build());
        assertThat(second.isRunning()).isTrue();

        gate.controller.update(Limits.running(10).memory(50).build());
        Gate.Query third = gate.submit("cid", 20);
        assertThat(gate.controller.snapshot().reservedBytes()).isEqualTo(120);
        first.finish();
        assertThat(third.isWaiting()).isTrue();
        second.finish();
        assertThat(third.isRunning()).isTrue();
        third.finish();
        gate.assertIdle();
    }

    @Test
    void aWaiterThatNoLongerFitsAnyBudgetIsRefusedAndBlocksNobody() {
        Gate gate = new Gate(Limits.running(10).memory(100));
        gate.submit("ann", 50);
        Gate.Query big = gate.submit("big", 90);

        gate.controller.update(Limits.running(10).memory(80).build());

        assertThat(big.rejection).isEqualTo(new Rejection.MemoryTooLarge(90, 80));
        assertThat(gate.submit("cid", 10).isRunning()).isTrue();
    }

    @Test
    void aShorterQueueKeepsThoseThatWaitAndRefusesNewOnes() {
        Gate gate = new Gate(Limits.running(1));
        gate.submit("ann");
        Gate.Query second = gate.submit("ann");
        Gate.Query third = gate.submit("ann");

        gate.controller.update(Limits.running(1).queued(1).build());

        assertThat(second.isWaiting()).isTrue();
        assertThat(third.isWaiting()).isTrue();
        assertThat(gate.submit("bob").rejection).isInstanceOf(Rejection.QueueFull.class);
    }

    @Test
    void aWaiterKeepsTheDeadlineItCameWith() {
        Gate gate = new Gate(Limits.running(1).timeout(Duration.ofSeconds(60)));
        gate.submit("ann");
        Gate.Query before = gate.submit("ann");
        gate.controller.update(Limits.running(1).timeout(Duration.ofSeconds(10)).build());
        Gate.Query after = gate.submit("ann");

        gate.time.advance(Duration.ofSeconds(10));
        assertThat(after.rejection).isInstanceOf(Rejection.QueueTimeout.class);
        assertThat(before.isWaiting()).isTrue();
        gate.time.advance(Duration.ofSeconds(50));
        assertThat(before.rejection).isInstanceOf(Rejection.QueueTimeout.class);
    }
}
