package dev.weir.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
        assertThat(limits.admission().group("default").memoryPerQueryBytes()).isEqualTo(6 * GIB / 8);
        assertThat(limits.admission().group("default").memoryMaxPerQueryBytes()).isEqualTo(6 * GIB);
        assertThat(limits.clocks().queueTimeout()).hasSeconds(60);
        assertThat(limits.clocks().statementTimeout()).hasMinutes(10);
        assertThat(limits.clocks().clientStallTimeout()).hasSeconds(60);
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
