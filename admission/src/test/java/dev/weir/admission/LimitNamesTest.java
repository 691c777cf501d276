package dev.weir.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A refusal names its limit where it is set: for everybody, or for a group. */
class LimitNamesTest {

    private static final RateLimit THREE = new RateLimit(3, Duration.ofDays(1), 3);

    @Test
    void aLimitThatAGroupSetsForItsUsersIsNamedThere() {
        Gate gate = gate("etl", "user.max-queued", "user.rate.requests", "memory.max-per-query");

        assertThat(gate.submit(request("eve", 1_001)).rejection)
                .isEqualTo(new Rejection.MemoryTooLarge(1_001, 1_000, "groups.etl.memory.max-per-query"));
        assertThat(gate.submit(request("eve", 1)).isRunning()).isTrue();
        assertThat(gate.submit(request("eve", 1)).rejection)
                .isInstanceOfSatisfying(
                        Rejection.QueueFull.class,
                        full -> assertThat(full.property()).isEqualTo("groups.etl.user.max-queued"));
        gate.submit(request("eve", 1));
        assertThat(gate.submit(request("eve", 1)).rejection)
                .isInstanceOfSatisfying(
                        Rejection.RateLimited.class,
                        limited -> assertThat(limited.property()).isEqualTo("groups.etl.user.rate.requests"));
    }

    @Test
    void aLimitThatAGroupTakesFromAllIsNamedThere() {
        Gate gate = gate("etl");

        assertThat(gate.submit(request("eve", 1_001)).rejection)
                .isEqualTo(new Rejection.MemoryTooLarge(1_001, 1_000, "memory.max-per-query"));
        gate.submit(request("eve", 1));
        assertThat(gate.submit(request("eve", 1)).rejection)
                .isInstanceOfSatisfying(
                        Rejection.QueueFull.class,
                        full -> assertThat(full.property()).isEqualTo("user.max-queued"));
        gate.submit(request("eve", 1));
        assertThat(gate.submit(request("eve", 1)).rejection)
                .isInstanceOfSatisfying(
                        Rejection.RateLimited.class,
                        limited -> assertThat(limited.property()).isEqualTo("user.rate.requests"));
    }

    @Test
    void whoIsInNoGroupHasTheLimitsOfTheDefaultGroup() {
        AdmissionLimits limits = Tree.running(1)
                .group(AdmissionLimits.DEFAULT_GROUP, open -> group("user.max-running"))
                .build();

        assertThat(limits.nameOf("nobody", "user.max-running")).isEqualTo("groups.default.user.max-running");
        assertThat(limits.nameOf("nobody", "user.max-queued")).isEqualTo("user.max-queued");
        assertThat(limits.withoutRates().nameOf("default", "user.max-running"))
                .isEqualTo("groups.default.user.max-running");
    }

    private static Gate gate(String name, String... own) {
        return new Gate(Tree.running(1).group(name, open -> group(own)));
    }

    private static GroupLimits group(String... own) {
        return new GroupLimits(
                1, 10, 1, Duration.ofDays(1), 1_000, 4, 1_000, null, new UserLimits(1, 0, 0, THREE), Set.of(own));
    }

    private static AdmissionRequest request(String user, long bytes) {
        return new AdmissionRequest("q", user, List.of("etl"), 1, OptionalLong.of(bytes), Duration.ofDays(1));
    }
}
