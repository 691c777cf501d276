package dev.weir.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.admission.GroupLimits;
import dev.weir.admission.RateLimit;
import dev.weir.admission.UserLimits;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

class EffectiveLimitsTest {

    private static final long GIB = 1L << 30;

    @Test
    void defaultsComeFromTheMachine() {
        EffectiveLimits limits = limits(Map.of(), 4, 10 * GIB);
        assertThat(limits.admission().maxRunning()).isEqualTo(8);
        assertThat(limits.admission().group("default").user().maxRunning()).isEqualTo(4);
        assertThat(limits.admission().maxQueued()).isEqualTo(1000);
        assertThat(limits.admission().group("default").user().maxQueued()).isEqualTo(100);
        assertThat(limits.admission().memoryBudgetBytes()).isEqualTo(6 * GIB);
        assertThat(limits.admission().group("default").memoryPerQueryBytes()).isEqualTo(6 * GIB / 12);
        assertThat(limits.admission().group("default").memoryMaxPerQueryBytes()).isEqualTo(6 * GIB);
        assertThat(limits.summary())
                .startsWith("max-running 8, short-lane 8, max-queued 1000, user.max-running 4, memory.budget 6144MB,")
                .contains("memory.per-query 512MB, groups [default]");
        assertThat(limits.clocks().others().queueTimeout()).hasSeconds(60);
        assertThat(limits.clocks().others().statementTimeout()).hasMinutes(10);
        assertThat(limits.clocks().others().clientStallTimeout()).hasSeconds(60);
    }

    @Test
    void aSingleCoreStillRunsAQueryOfEachUser() {
        assertThat(limits(Map.of("weir.admission.max-running", "1"), 1, GIB)
                        .admission()
                        .group("default")
                        .user()
                        .maxRunning())
                .isEqualTo(1);
    }

    @Test
    void aReservationNeverStartsAboveTheLargestAllowed() {
        EffectiveLimits limits = limits(Map.of("weir.admission.memory.max-per-query", "64MB"), 2, 8 * GIB);
        assertThat(limits.admission().group("default").memoryPerQueryBytes()).isEqualTo(64L << 20);
    }

    @Test
    void theEngineHasThreadsForEveryPermitAndBothLanes() {
        EffectiveLimits limits = limits(Map.of("weir.admission.max-running", "50"), 2, 8 * GIB);
        assertThat(limits.engineThreads()).isGreaterThan(50 + 2 * limits.lane().maxRunning());
    }

    @Test
    void impossibleValuesNameTheirProperty() {
        refused("weir.admission.max-running", "0");
        refused("weir.admission.user.max-running", "0");
        refused("weir.admission.max-queued", "-1");
        refused("weir.admission.user.max-queued", "-1");
        refused("weir.admission.queue-timeout", "0s");
        refused("weir.admission.statement-timeout", "-1s");
        refused("weir.admission.client-stall-timeout", "0s");
        refused("weir.admission.describe-timeout", "0s");
        refused("weir.admission.memory.budget", "0B");
        refused("weir.admission.memory.per-query", "100GB");
        refused("weir.admission.memory.max-per-query", "100GB");
    }

    @Test
    void laneAndPausesHaveDefaults() {
        EffectiveLimits limits = limits(Map.of("weir.admission.max-running", "6"), 4, GIB);
        assertThat(limits.admission().shortLane()).isEqualTo(8);
        assertThat(limits.admission().shortQuery()).hasMillis(250);
        assertThat(limits.admission().maxPaused()).isEqualTo(24);
        assertThat(limits.admission().group("default").user().maxPaused()).isEqualTo(6);
        assertThat(limits.admission().rate()).isNull();
        assertThat(limits.engineThreads()).isGreaterThan(6 + 2 * 8 + 24);
        assertThat(limits.highWater()).isEqualTo(0.9);
    }

    @Test
    void aGroupTakesWhatItLacksFromTheLimitsOfAll() {
        EffectiveLimits limits = limits(
                Map.ofEntries(
                        entry("max-running", "8"),
                        entry("max-queued", "70"),
                        entry("queue-timeout", "9s"),
                        entry("statement-timeout", "8s"),
                        entry("user.max-running", "5"),
                        entry("user.rate.requests", "3"),
                        entry("rate.requests", "50"),
                        entry("memory.budget", "4GB"),
                        entry("memory.per-query", "1GB"),
                        entry("groups.etl.max-running", "3"),
                        entry("groups.etl.weight", "2.5"),
                        entry("groups.etl.memory.budget", "512MB"),
                        entry("groups.etl.statement-timeout", "1h"),
                        entry("groups.etl.rate.requests", "10"),
                        entry("groups.etl.rate.period", "1m"),
                        entry("groups.etl.rate.burst", "4"),
                        entry("groups.etl.user.max-queued", "2")),
                2,
                8 * GIB);
        GroupLimits etl = limits.admission().group("etl");
        assertThat(etl.maxRunning()).isEqualTo(3);
        assertThat(etl.maxQueued()).isEqualTo(70);
        assertThat(etl.weight()).isEqualTo(2.5);
        assertThat(etl.queueTimeout()).hasSeconds(9);
        assertThat(etl.memoryBudgetBytes()).isEqualTo(512L << 20);
        assertThat(etl.memoryPerQueryBytes()).as("cut to the group's budget").isEqualTo(512L << 20);
        assertThat(etl.rate()).isEqualTo(new RateLimit(10, Duration.ofMinutes(1), 4));
        assertThat(etl.user()).isEqualTo(new UserLimits(3, 2, 8, new RateLimit(3, Duration.ofSeconds(1), 3)));
        assertThat(limits.admission().rate()).isEqualTo(new RateLimit(50, Duration.ofSeconds(1), 50));
        assertThat(limits.admission().group("default").user().maxRunning()).isEqualTo(5);
        assertThat(limits.clocks().groups().get("etl").statementTimeout()).hasHours(1);
        assertThat(limits.clocks().groups().get("etl").queueTimeout()).hasSeconds(9);
        assertThat(limits.clocks().others().statementTimeout()).hasSeconds(8);
    }

    @Test
    void aLimitIsNamedWhereItIsSet() {
        EffectiveLimits limits = limits(
                Map.of(
                        "weir.admission.max-running", "8",
                        "weir.admission.groups.etl.max-running", "3",
                        "weir.admission.groups.etl.memory.budget", "1MB",
                        "weir.admission.groups.etl.user.max-queued", "2",
                        "weir.admission.groups.bi.user.rate.requests", "3",
                        "weir.admission.groups.bi.user.max-running", "2"),
                2,
                8 * GIB);
        assertThat(limits.admission().nameOf("etl", "user.max-queued")).isEqualTo("groups.etl.user.max-queued");
        assertThat(limits.admission().nameOf("etl", "user.max-running"))
                .as("cut to what the group may run")
                .isEqualTo("groups.etl.user.max-running");
        assertThat(limits.admission().nameOf("etl", "memory.max-per-query"))
                .as("cut to the group's budget")
                .isEqualTo("groups.etl.memory.max-per-query");
        assertThat(limits.admission().nameOf("etl", "user.rate.requests")).isEqualTo("user.rate.requests");
        assertThat(limits.admission().nameOf("bi", "user.rate.requests")).isEqualTo("groups.bi.user.rate.requests");
        assertThat(limits.admission().nameOf("bi", "user.max-running")).isEqualTo("groups.bi.user.max-running");
        assertThat(limits.admission().nameOf("bi", "memory.max-per-query")).isEqualTo("memory.max-per-query");
        assertThat(limits.admission().nameOf("nobody", "user.max-running")).isEqualTo("user.max-running");
    }

    @Test
    void theDefaultGroupCanBeConfigured() {
        EffectiveLimits limits = limits(
                Map.of(
                        "weir.admission.max-running", "8",
                        "weir.admission.groups.default.max-running", "2",
                        "weir.admission.groups.default.client-stall-timeout", "5s"),
                2,
                8 * GIB);
        assertThat(limits.admission().group("nobody").maxRunning()).isEqualTo(2);
        assertThat(limits.clocks().others().clientStallTimeout()).hasSeconds(5);
    }

    @Test
    void impossibleCombinationsNameTheirProperty() {
        refused("weir.admission.groups.etl.memory.budget", "100GB");
        refused("weir.admission.groups.etl.memory.per-query", "100GB");
        refused("weir.admission.groups.etl.max-running", "0");
        refused("weir.admission.groups.etl.max-running", "5");
        refused("weir.admission.groups.etl.user.max-running", "5");
        refused("weir.admission.groups.etl.weight", "0");
        refused("weir.admission.groups.etl.statement-timeout", "0s");
        refused("weir.admission.groups.etl.rate.requests", "0");
        refused("weir.admission.user.max-running", "5");
        refused("weir.admission.user.rate.requests", "0");
        refused("weir.admission.user.max-paused", "-1");
        refused("weir.admission.max-paused", "-1");
        refused("weir.admission.short-lane", "-1");
        refused("weir.admission.short-query", "0s");
        refused("weir.admission.rate.requests", "-1");
        refused("weir.admission.memory.high-water", "1.1");
    }

    private static Map.Entry<String, String> entry(String name, String value) {
        return Map.entry("weir.admission." + name, value);
    }

    private static void refused(String property, String value) {
        assertThatThrownBy(() -> limits(Map.of(property, value), 2, 8 * GIB))
                .isInstanceOf(StartFailedException.class)
                .hasMessageStartingWith("weir.admission.")
                .hasMessageContaining(property.substring("weir.admission.".length()));
    }

    private static EffectiveLimits limits(Map<String, String> given, int cores, long machineBytes) {
        WeirProperties properties = new Binder(new MapConfigurationPropertySource(given))
                .bindOrCreate("weir", Bindable.of(WeirProperties.class));
        return EffectiveLimits.of(properties.admission(), cores, machineBytes);
    }
}
