package dev.weir.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Starts that are held back for a while, as when the machine's memory is short, and go on. */
class HoldTest {

    @Test
    void fiveHundredHeldQueriesStartAtTheCapAndThenOneForEachThatEnds() {
        Gate gate = new Gate(Limits.running(8));
        gate.controller.hold(WaitReason.HELD);
        Map<String, Gate.Query> byId = new HashMap<>();
        for (int i = 0; i < 500; i++) {
            Gate.Query query = gate.submit("user" + i % 7);
            byId.put(query.id, query);
        }
        assertThat(gate.granted).isEmpty();

        gate.controller.hold(null);

        assertThat(gate.granted).hasSize(8);
        assertThat(gate.controller.snapshot().queued()).isEqualTo(492);
        for (int ended = 0; ended < 500; ended++) {
            byId.get(gate.granted.get(ended)).finish();
            assertThat(gate.granted).hasSize(Math.min(500, 8 + ended + 1));
        }
        gate.assertIdle();
    }

    @Test
    void whatEndsWhileStartsAreHeldLetsNobodyStart() {
        Gate gate = new Gate(Limits.running(1));
        Gate.Query running = gate.submit("ann");
        Gate.Query waiting = gate.submit("bob");
        gate.controller.hold(WaitReason.HELD);

        running.finish();

        assertThat(waiting.isWaiting()).isTrue();
        assertThat(gate.controller.snapshot().running()).isZero();
        gate.controller.update(Limits.running(5).build());
        assertThat(waiting.isWaiting()).as("a higher cap does not lift it").isTrue();
        gate.controller.hold(null);
        assertThat(waiting.isRunning()).isTrue();
    }
}
