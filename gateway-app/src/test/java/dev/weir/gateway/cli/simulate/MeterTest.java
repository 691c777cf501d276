package dev.weir.gateway.cli.simulate;

import static dev.weir.gateway.cli.simulate.Runs.run;
import static dev.weir.gateway.cli.simulate.Runs.user;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.stream.DoubleStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class MeterTest {

    @ParameterizedTest
    @EnumSource
    void utilisationIsWeighedByTime(PolicyKind kind) {
        PolicyReport report = run(kind, TestLimits.running(2).megabytes(100), """
                duration: 20s
                sources:
                  - {user: ann, arrivals: {at-start: 1}, service: 10s, memory: 80MB}
                """);

        assertThat(report.running()).isEqualTo(0.5);
        assertThat(report.slots()).isEqualTo(0.25);
        assertThat(report.memory()).isCloseTo(0.4, within(1e-9));
        // The memory is the larger share.
        assertThat(user(report, "ann").resourceSeconds()).isCloseTo(8, within(1e-9));
    }

    @ParameterizedTest
    @EnumSource
    void onlyTheTimeBetweenWarmUpAndEndIsMeasured(PolicyKind kind) {
        PolicyReport report = run(kind, TestLimits.running(2), """
                warm-up: 5s
                duration: 15s
                sources:
                  - {user: ann, arrivals: {at-start: 1}, service: 10s}
                  - {user: bob, arrivals: {every: 1h, first: 18s}, service: 10s}
                  - {user: early, arrivals: {at-start: 1}, service: 1s}
                """);

        assertThat(report.measuredSeconds()).isEqualTo(15);
        assertThat(user(report, "ann").resourceSeconds()).isEqualTo(2.5);
        assertThat(user(report, "ann").started()).isZero();
        assertThat(user(report, "bob").resourceSeconds()).isEqualTo(1);
        assertThat(user(report, "bob").started()).isEqualTo(1);
        assertThat(report.users()).extracting(PolicyReport.Figures::name).containsExactly("ann", "bob");
        assertThat(report.running()).isCloseTo(7.0 / 15, within(1e-9));
    }

    @ParameterizedTest
    @EnumSource(names = "REJECT_AT_CAP", mode = EnumSource.Mode.EXCLUDE)
    void thoseThatStillWaitAtTheEndAreCounted(PolicyKind kind) {
        PolicyReport report = run(kind, TestLimits.running(1), """
                duration: 25s
                sources:
                  - {user: ann, arrivals: {at-start: 10}, service: 10s}
                """);

        assertThat(report.all().started()).isEqualTo(3);
        assertThat(report.all().waiting()).isEqualTo(7);
    }

    @Test
    void usersOfAGroupWithoutLimitsCountAsTheDefaultGroup() {
        PolicyReport report = run(PolicyKind.FIFO, TestLimits.running(1).group("vip", 2), """
                sources:
                  - {user: ann, group: unheard-of, arrivals: {at-start: 1}, service: 1s}
                  - {user: bob, group: vip, arrivals: {at-start: 1}, service: 2s}
                """);

        assertThat(report.groups()).extracting(PolicyReport.Figures::name).containsExactly("default", "vip");
        assertThat(report.users()).extracting(PolicyReport.Figures::group).containsExactly("default", "vip");
    }

    @Test
    void fairnessIsJudgedByWhatIsDueToGroupsAndToEachOfTheirUsers() {
        PolicyReport fair = run(PolicyKind.FIFO, TestLimits.running(1).group("vip", 4), """
                sources:
                  - {user: ann, arrivals: {at-start: 1}, service: 1s}
                  - {user: bob, users: 2, group: vip, arrivals: {at-start: 1}, service: 2s}
                """);
        PolicyReport unfair = run(PolicyKind.FIFO, TestLimits.running(1).group("vip", 4), """
                sources:
                  - {user: ann, arrivals: {at-start: 1}, service: 1s}
                  - {user: bob, group: vip, arrivals: {at-start: 1}, service: 4s}
                  - {user: cid, group: vip, arrivals: {at-start: 1}, service: 0s}
                """);

        assertThat(fair.jainGroups()).isEqualTo(1);
        assertThat(fair.jainUsers()).isEqualTo(1);
        assertThat(unfair.jainGroups()).isEqualTo(1);
        // Of 1, 2 and 0 times what was due.
        assertThat(unfair.jainUsers()).isCloseTo(9.0 / 15, within(1e-9));
    }

    @Test
    void jainsIndexTellsEqualFromUnequal() {
        assertThat(Meter.jain(DoubleStream.of(5, 5, 5, 5))).isEqualTo(1);
        assertThat(Meter.jain(DoubleStream.of(7, 0, 0, 0))).isEqualTo(0.25);
        assertThat(Meter.jain(DoubleStream.of(0, 0))).isEqualTo(1);
        assertThat(Meter.jain(DoubleStream.empty())).isEqualTo(1);
    }

    @Test
    void quantilesAreValuesThatOccurred() {
        Waits waits = new Waits();
        LongStream.rangeClosed(1, 200).map(i -> 201 - i).forEach(seconds -> waits.add(seconds * 1_000_000_000));

        assertThat(waits.summary()).isEqualTo(new Waits.Summary(100.5, 100, 190, 198, 200));
        assertThat(new Waits().summary()).isEqualTo(new Waits.Summary(0, 0, 0, 0, 0));
    }
}
