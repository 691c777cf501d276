package dev.weir.engine.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.EngineNode.State;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class HealthTest {

    private final ManualTimers time = new ManualTimers();
    private final Health health = new Health(
            new ClusterSettings.Health(Duration.ofSeconds(1), Duration.ofSeconds(3), 3, 2, Duration.ofSeconds(10)),
            time);

    private void answers() {
        health.answered(false, false, time.nanoTime());
    }

    private void goesDown() {
        for (int i = 0; i < 3; i++) {
            health.failed("gone");
        }
    }

    @Test
    void aNewWorkerGetsItsFullShareWithItsFirstAnswer() {
        assertThat(health.state()).isEqualTo(State.DOWN);
        assertThat(health.share(0)).isZero();
        answers();
        assertThat(health.state()).isEqualTo(State.HEALTHY);
        assertThat(health.share(0)).isEqualTo(1);
        assertThat(health.reason()).isNull();
    }

    @Test
    void oneFailureMakesItSuspectAndSeveralTakeItDown() {
        answers();
        health.failed("one");
        assertThat(health.state()).isEqualTo(State.SUSPECT);
        assertThat(health.isUsable()).isTrue();
        assertThat(health.isLastChoice()).isTrue();
        health.failed("two");
        assertThat(health.state()).isEqualTo(State.SUSPECT);
        health.failed("three");
        assertThat(health.state()).isEqualTo(State.DOWN);
        assertThat(health.reason()).isEqualTo("three");
        assertThat(health.isUsable()).isFalse();
    }

    @Test
    void failuresAmongSuccessesKeepItSuspectAndNeverTakeItDown() {
        answers();
        for (int i = 0; i < 20; i++) {
            health.failed("now and then");
            answers();
            assertThat(health.state()).isEqualTo(State.SUSPECT);
        }
        answers();
        assertThat(health.state()).isEqualTo(State.HEALTHY);
    }

    @Test
    void aWorkerThatWasDownComesBackAfterSeveralSuccessesAndLittleByLittle() {
        answers();
        goesDown();
        answers();
        assertThat(health.state()).isEqualTo(State.DOWN);
        answers();
        assertThat(health.state()).isEqualTo(State.SUSPECT);
        assertThat(health.isLastChoice()).isFalse();
        assertThat(health.share(time.nanoTime())).isZero();
        time.advance(Duration.ofSeconds(5));
        answers();
        assertThat(health.state()).isEqualTo(State.SUSPECT);
        assertThat(health.share(time.nanoTime())).isEqualTo(0.5);
        time.advance(Duration.ofSeconds(5));
        answers();
        assertThat(health.state()).isEqualTo(State.HEALTHY);
    }

    @Test
    void aFailureWhileItComesBackTakesItDownAtOnce() {
        answers();
        goesDown();
        answers();
        answers();
        health.failed("again");
        assertThat(health.state()).isEqualTo(State.DOWN);
        answers();
        assertThat(health.state()).isEqualTo(State.DOWN);
    }

    @Test
    void aDrainingWorkerTakesNothingAndItsSuccessorRampsUp() {
        answers();
        health.answered(true, false, time.nanoTime());
        assertThat(health.state()).isEqualTo(State.DRAINING);
        assertThat(health.share(time.nanoTime())).isZero();
        health.answered(false, true, time.nanoTime());
        assertThat(health.state()).isEqualTo(State.SUSPECT);
        time.advance(Duration.ofSeconds(10));
        answers();
        assertThat(health.state()).isEqualTo(State.HEALTHY);
    }

    @Test
    void aRestartBetweenTwoChecksRampsUpToo() {
        answers();
        health.answered(false, true, time.nanoTime());
        assertThat(health.state()).isEqualTo(State.SUSPECT);
        assertThat(health.share(time.nanoTime())).isZero();
    }
}
