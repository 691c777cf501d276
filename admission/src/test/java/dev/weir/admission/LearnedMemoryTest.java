package dev.weir.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class LearnedMemoryTest {

    private static final long MIB = 1 << 20;
    private static final long DEFAULT = 1024 * MIB;

    private final Gate gate = new Gate(Limits.running(4).memory(8 * DEFAULT).perQuery(DEFAULT));

    private void run(long peak) {
        Gate.Query query = gate.submit("ann");
        gate.time.advance(Duration.ofSeconds(1));
        query.permit.measuredPeak(peak);
        query.finish();
    }

    private RunTimeStats statement() {
        return gate.controller.history(10).stream()
                .filter(stats -> stats.scope() == RunTimeStats.Scope.STATEMENT)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void afterThreePeaksHalfAsMuchAgainAsTheLargestIsReserved() {
        gate.controller.learnMemory(true);
        run(100 * MIB);
        run(200 * MIB);
        assertThat(gate.submit("ann").permit.reservedBytes()).isEqualTo(DEFAULT);
        assertThat(statement().peakBytes()).hasValue(200 * MIB);
        assertThat(statement().learnedBytes()).isEmpty();

        run(150 * MIB);

        RunPermit permit = gate.submit("ann").permit;
        assertThat(permit.reservedBytes()).isEqualTo(300 * MIB);
        assertThat(permit.hasLearnedReservation()).isTrue();
        assertThat(statement().learnedBytes()).hasValue(300 * MIB);
        Explanation explained = gate.controller.explain(gate.request("ann", "ann"));
        assertThat(explained.reservedBytes()).isEqualTo(300 * MIB);
        assertThat(explained.learnedReservation()).isTrue();
        assertThat(gate.submit("ann", "other", OptionalLong.empty(), Gate.FOREVER)
                        .permit
                        .reservedBytes())
                .as("another statement")
                .isEqualTo(DEFAULT);
    }

    @Test
    void itIsNeverMoreThanTheDefaultNorLessThanTheFloor() {
        gate.controller.learnMemory(true);
        for (int i = 0; i < 3; i++) {
            run(MIB);
        }
        assertThat(gate.submit("ann").permit.reservedBytes()).isEqualTo(64 * MIB);
        run(900 * MIB);
        RunPermit permit = gate.submit("ann").permit;
        assertThat(permit.reservedBytes()).isEqualTo(DEFAULT);
        assertThat(permit.hasLearnedReservation()).isFalse();
    }

    @Test
    void onlyTheLastRunsCount() {
        gate.controller.learnMemory(true);
        run(600 * MIB);
        for (int i = 0; i < RunTimes.WINDOW; i++) {
            run(100 * MIB);
        }
        assertThat(gate.submit("ann").permit.reservedBytes()).isEqualTo(150 * MIB);
    }

    @Test
    void whoAsksForMemoryGetsThat() {
        gate.controller.learnMemory(true);
        for (int i = 0; i < 3; i++) {
            run(100 * MIB);
        }
        RunPermit permit = gate.submit("ann", "ann", OptionalLong.of(500 * MIB), Gate.FOREVER).permit;
        assertThat(permit.reservedBytes()).isEqualTo(500 * MIB);
        assertThat(permit.hasLearnedReservation()).isFalse();
    }

    @Test
    void itIsInForceOnlyWhereTheEngineEnforcesIt() {
        for (int i = 0; i < 3; i++) {
            run(100 * MIB);
        }
        assertThat(gate.submit("ann").permit.reservedBytes()).isEqualTo(DEFAULT);
        gate.controller.learnMemory(true);
        assertThat(gate.submit("ann").permit.reservedBytes()).isEqualTo(150 * MIB);
        gate.controller.learnMemory(false);
        assertThat(gate.submit("ann").permit.reservedBytes()).isEqualTo(DEFAULT);
    }

    @Test
    void whatWasNotMeasuredTeachesNothing() {
        gate.controller.learnMemory(true);
        for (int i = 0; i < 5; i++) {
            run(0);
        }
        assertThat(statement().peakBytes()).isEmpty();
        assertThat(gate.submit("ann").permit.reservedBytes()).isEqualTo(DEFAULT);
    }

    @Test
    void tooLittleIsGivenBackForTheDefault() {
        gate.controller.learnMemory(true);
        for (int i = 0; i < 3; i++) {
            run(100 * MIB);
        }
        Gate.Query query = gate.submit("ann", "ann", OptionalLong.empty(), Duration.ZERO);
        gate.time.advance(Duration.ofSeconds(1));
        List<RunTimeStats> before = gate.controller.history(10);

        query.giveBackForDefault();

        assertThat(query.permit.reservedBytes()).isEqualTo(DEFAULT);
        assertThat(query.permit.hasLearnedReservation()).isFalse();
        assertThat(gate.controller.history(10)).isEqualTo(before);
        assertThat(gate.controller.snapshot().reservedBytes()).isEqualTo(DEFAULT);
        query.finish();
        gate.assertIdle();
    }

    @Test
    void forTheDefaultItWaitsAsLongAsAnyQueryMay() {
        gate.controller.learnMemory(true);
        for (int i = 0; i < 3; i++) {
            run(100 * MIB);
        }
        Gate.Query query = gate.submit("ann", "ann", OptionalLong.empty(), Duration.ZERO);
        Gate.Query large = gate.submit("bob", 7 * DEFAULT + 500 * MIB);

        query.giveBackForDefault();

        assertThat(query.isWaiting()).isTrue();
        assertThat(gate.wait(query).reason()).isEqualTo(WaitReason.MEMORY);
        large.finish();
        assertThat(query.permit.reservedBytes()).isEqualTo(DEFAULT);
    }
}
