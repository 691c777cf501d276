package dev.weir.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class QueueAlarmTest {

    private final VirtualTime time = new VirtualTime();
    private final List<Duration> rings = new ArrayList<>();
    private final QueueAlarm alarm = new QueueAlarm(time, time, () -> rings.add(time.elapsed()));

    @Test
    void itRingsForTheEarliestDeadlineItWasSetFor() {
        setFor(20);
        setFor(10);
        setFor(15);
        assertThat(time.scheduled()).isEqualTo(1);

        time.advance(Duration.ofSeconds(60));

        assertThat(rings).containsExactly(Duration.ofSeconds(10));
    }

    @Test
    void itCanBeSetAgainOnceItRang() {
        setFor(10);
        time.advance(Duration.ofSeconds(10));
        setFor(12);
        time.advance(Duration.ofSeconds(10));

        assertThat(rings).containsExactly(Duration.ofSeconds(10), Duration.ofSeconds(12));
    }

    @Test
    void aDeadlineInThePastRingsAtOnce() {
        time.advance(Duration.ofSeconds(5));
        setFor(1);
        assertThat(rings).as("not within the call").isEmpty();

        time.advance(Duration.ZERO);

        assertThat(rings).containsExactly(Duration.ofSeconds(5));
    }

    /** Seconds from the start, on a clock that overflows on the way. */
    private void setFor(long seconds) {
        long start = time.nanoTime() - time.elapsed().toNanos();
        assertThat(alarm.setFor(start + Duration.ofSeconds(seconds).toNanos())).isTrue();
    }
}
