package dev.weir.gateway.cli.simulate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.admission.Scheduler;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class EventClockTest {

    private final List<String> seen = new ArrayList<>();
    private final EventClock clock = new EventClock((from, to) -> seen.add(from + "-" + to));

    private void at(long nanos, String name) {
        clock.schedule(() -> seen.add(name), nanos);
    }

    @Test
    void eventsRunInTheOrderOfTheirTimeAndThenOfTheirScheduling() {
        at(20, "c");
        at(10, "a");
        at(20, "d");
        at(10, "b");

        clock.runUntil(Long.MAX_VALUE);

        assertThat(seen).containsExactly("0-10", "a", "b", "10-20", "c", "d");
        assertThat(clock.nanoTime()).isEqualTo(20);
    }

    @Test
    void anEventOfThisMomentRunsBeforeTimeMovesOn() {
        clock.schedule(() -> at(0, "at once"), 5);
        at(6, "later");

        clock.runUntil(Long.MAX_VALUE);

        assertThat(seen).containsExactly("0-5", "at once", "5-6", "later");
    }

    @Test
    void theEndIsIncludedAndTimeStopsThere() {
        at(10, "at the end");
        at(11, "after");

        clock.runUntil(10);
        assertThat(seen).containsExactly("0-10", "at the end");

        clock.runUntil(12);
        assertThat(seen).containsExactly("0-10", "at the end", "10-11", "after");
    }

    @Test
    void timeMovesToAnEndBeforeTheNextEvent() {
        at(100, "never");

        clock.runUntil(40);

        assertThat(clock.nanoTime()).isEqualTo(40);
        assertThat(seen).containsExactly("0-40");
    }

    @Test
    void aCancelledEventNeitherRunsNorMovesTime() {
        Scheduler.Handle handle = clock.schedule(() -> seen.add("cancelled"), 10);
        handle.cancel();
        handle.cancel();

        clock.runUntil(Long.MAX_VALUE);

        assertThat(seen).isEmpty();
        assertThat(clock.nanoTime()).isZero();
    }

    @Test
    void anEventBeyondTheEndOfTimeNeverRuns() {
        at(10, "a");
        clock.runUntil(Long.MAX_VALUE);
        clock.schedule(() -> seen.add("overflow"), Long.MAX_VALUE).cancel();
        clock.schedule(() -> seen.add("overflow"), Long.MAX_VALUE);

        clock.runUntil(Long.MAX_VALUE);

        assertThat(seen).containsExactly("0-10", "a");
    }

    @Test
    void nothingCanBeScheduledInThePast() {
        assertThatThrownBy(() -> clock.schedule(() -> {}, -1)).isInstanceOf(IllegalArgumentException.class);
    }
}
