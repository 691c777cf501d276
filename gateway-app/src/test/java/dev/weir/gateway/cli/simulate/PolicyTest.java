package dev.weir.gateway.cli.simulate;

import static dev.weir.gateway.cli.simulate.Runs.group;
import static dev.weir.gateway.cli.simulate.Runs.run;
import static dev.weir.gateway.cli.simulate.Runs.user;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every policy in scenarios small enough to be computed by hand. */
class PolicyTest {

    /** Ann sends three queries of 10 s at the start, Bob one of 1 s a second later. */
    private static final String QUEUE_JUMP = """
            duration: 100s
            sources:
              - {user: ann, arrivals: {at-start: 3}, service: 10s}
              - {user: bob, arrivals: {every: 1h, first: 1s}, service: 1s}
            """;

    @Test
    void rejectAtCapRefusesWhatFindsNoSlot() {
        PolicyReport report = run(PolicyKind.REJECT_AT_CAP, TestLimits.running(1), QUEUE_JUMP);

        assertThat(user(report, "ann").started()).isEqualTo(1);
        assertThat(user(report, "ann").refused()).isEqualTo(2);
        assertThat(user(report, "bob").started()).isZero();
        assertThat(user(report, "bob").refused()).isEqualTo(1);
        assertThat(report.all().waits().max()).isZero();
        assertThat(user(report, "ann").resourceSeconds()).isEqualTo(10);
    }

    @Test
    void fifoServesByArrivalWhoeverAsks() {
        PolicyReport report = run(PolicyKind.FIFO, TestLimits.running(1), QUEUE_JUMP);

        assertThat(user(report, "ann").waits()).isEqualTo(new Waits.Summary(10, 10, 20, 20, 20));
        assertThat(user(report, "bob").waits()).isEqualTo(new Waits.Summary(29, 29, 29, 29, 29));
        assertThat(report.all().started()).isEqualTo(4);
        assertThat(report.all().waiting()).isZero();
    }

    @ParameterizedTest
    @EnumSource(names = {"FAIR_BY_COUNT", "WEIR"})
    void takingTurnsLetsTheLateUserGoNext(PolicyKind kind) {
        PolicyReport report = run(kind, TestLimits.running(1), QUEUE_JUMP);

        assertThat(user(report, "bob").waits().max()).isEqualTo(9);
        assertThat(user(report, "ann").waits().p50()).isEqualTo(11);
        assertThat(user(report, "ann").waits().max()).isEqualTo(21);
    }

    private static final String LONG_AND_SHORT = """
            duration: 1100s
            sources:
              - {user: long, arrivals: {closed: 3}, service: 10s}
              - {user: short, arrivals: {closed: 3}, service: 1s}
            """;

    @Test
    void fairByCountGivesTheUserOfLongQueriesTenTimesTheTime() {
        PolicyReport report = run(PolicyKind.FAIR_BY_COUNT, TestLimits.running(1), LONG_AND_SHORT);

        assertThat(user(report, "long").resourceSeconds()).isCloseTo(1_000, within(10.0));
        assertThat(user(report, "short").resourceSeconds()).isCloseTo(100, within(10.0));
        assertThat(report.jainUsers()).isCloseTo(0.6, within(0.01));
    }

    @Test
    void theGatewayGivesBothTheSameTime() {
        PolicyReport report = run(PolicyKind.WEIR, TestLimits.running(1), LONG_AND_SHORT);

        assertThat(user(report, "long").resourceSeconds()).isCloseTo(550, within(15.0));
        assertThat(report.jainUsers()).isGreaterThan(0.99);
    }

    @Test
    void fairByCountServesGroupsByWeightAndTheirUsersEqually() {
        PolicyReport report = run(
                PolicyKind.FAIR_BY_COUNT, TestLimits.running(1).group("a", 1).group("b", 3), """
                duration: 400s
                sources:
                  - {user: a, group: a, arrivals: {closed: 4}, service: 1s}
                  - {user: b, users: 2, group: b, arrivals: {closed: 4}, service: 1s}
                """);

        assertThat(group(report, "a").started()).isBetween(99L, 102L);
        assertThat(group(report, "b").started()).isBetween(299L, 302L);
        assertThat(user(report, "b-1").started() - user(report, "b-2").started())
                .isBetween(-1L, 1L);
        assertThat(report.jainGroups()).isGreaterThan(0.999);
    }

    @Test
    void fairByCountSavesNothingUpForWhoWasIdle() {
        PolicyReport report = run(PolicyKind.FAIR_BY_COUNT, TestLimits.running(1), """
                warm-up: 100s
                duration: 20s
                sources:
                  - {user: busy, arrivals: {closed: 3}, service: 1s}
                  - {user: late, arrivals: {every: 100ms, first: 100s}, service: 1s}
                """);

        assertThat(user(report, "late").started()).isBetween(9L, 11L);
    }

    /** Two wide queries at the start, a narrow one a second later. */
    private static final String WIDE = """
            duration: 100s
            sources:
              - {user: wide, arrivals: {at-start: 2}, service: 10s, memory: 80MB}
              - {user: narrow, arrivals: {every: 1h, first: 1s}, service: 1s, memory: 10MB}
            """;

    @Test
    void whatLacksMemoryHoldsUpThoseBehindItAndIsRefusedWithoutAQueue() {
        TestLimits limits = TestLimits.running(4).megabytes(100);

        assertThat(user(run(PolicyKind.FIFO, limits, WIDE), "narrow").waits().max())
                .isEqualTo(9);
        // Its first turn comes before the second of the wide one.
        assertThat(user(run(PolicyKind.FAIR_BY_COUNT, limits, WIDE), "narrow")
                        .waits()
                        .max())
                .isZero();
        PolicyReport rejecting = run(PolicyKind.REJECT_AT_CAP, limits, WIDE);
        assertThat(user(rejecting, "wide").refused()).isEqualTo(1);
        assertThat(user(rejecting, "narrow").started()).isEqualTo(1);
        // The gateway lets a small one pass a large one.
        assertThat(user(run(PolicyKind.WEIR, limits, WIDE), "narrow").waits().max())
                .isZero();
    }

    @ParameterizedTest
    @EnumSource
    void whatCanNeverFitIsRefused(PolicyKind kind) {
        PolicyReport report = run(kind, TestLimits.running(2).megabytes(100), """
                sources:
                  - {user: ann, arrivals: {at-start: 1}, service: 1s, memory: 200MB}
                  - {user: bob, arrivals: {at-start: 1}, service: 1s}
                """);

        assertThat(user(report, "ann").refused()).isEqualTo(1);
        assertThat(user(report, "bob").started()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(names = "REJECT_AT_CAP", mode = EnumSource.Mode.EXCLUDE)
    void aFullQueueRefuses(PolicyKind kind) {
        PolicyReport report = run(kind, TestLimits.running(1).queued(2), """
                sources:
                  - {user: ann, arrivals: {at-start: 5}, service: 1s}
                """);

        assertThat(report.all().started()).isEqualTo(3);
        assertThat(report.all().refused()).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource(names = "REJECT_AT_CAP", mode = EnumSource.Mode.EXCLUDE)
    void whoWaitsTooLongIsRefusedAtThatMoment(PolicyKind kind) {
        PolicyReport report = run(kind, TestLimits.running(1).queueTimeout(Duration.ofSeconds(15)), """
                sources:
                  - {user: ann, arrivals: {at-start: 5}, service: 10s}
                """);

        assertThat(report.all().started()).isEqualTo(2);
        assertThat(report.all().refused()).isEqualTo(3);
        assertThat(report.all().waits().max()).isEqualTo(10);
        assertThat(report.measuredSeconds()).isEqualTo(20);
    }

    @ParameterizedTest
    @EnumSource
    void aClientThatWasRefusedComesBackLater(PolicyKind kind) {
        PolicyReport report = run(kind, TestLimits.running(1).queued(0), """
                duration: 59s
                sources:
                  - {user: ann, arrivals: {closed: 2}, service: 4s}
                """);

        assertThat(report.all().started()).isGreaterThan(8);
        assertThat(report.all().refused()).isBetween(1L, 60L);
    }
}
