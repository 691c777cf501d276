package dev.weir.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.admission.AdmissionController;
import dev.weir.admission.AdmissionControllers;
import dev.weir.admission.AdmissionLimits;
import dev.weir.admission.AdmissionListener;
import dev.weir.admission.WaitReason;
import dev.weir.engine.EngineCapacity;
import dev.weir.gateway.query.GatewayException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.mock.env.MockEnvironment;

/** Limits, and what the engine can carry. */
class CapacityTest {

    private static final long GIB = 1L << 30;

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final MockEnvironment environment = new MockEnvironment();

    @TempDir
    Path directory;

    @AfterEach
    void close() {
        timer.shutdownNow();
    }

    private RuntimeLimits limits(boolean elsewhere) {
        return new RuntimeLimits(environment, new LimitsFile(directory.resolve("limits.yaml")), 2, 10 * GIB, elsewhere);
    }

    private static long most(AdmissionLimits limits) {
        return limits.maxRunning() + 2L * limits.shortLane() + limits.maxPaused();
    }

    @Test
    void shortQueriesThatShareAPlaceTakeNoSlots() {
        environment
                .withProperty("weir.admission.max-running", "4")
                .withProperty("weir.admission.short-lane", "4")
                .withProperty("weir.admission.max-paused", "8")
                .withProperty("weir.admission.memory.budget", "3GB");
        AdmissionLimits given = limits(false).admission();
        AdmissionLimits six = CapacityLimits.within(given, new EngineCapacity(6, 3 * GIB, true, true), Long.MAX_VALUE);
        assertThat(List.of(six.maxRunning(), six.shortLane(), six.maxPaused())).containsExactly(4, 4, 2);
        AdmissionLimits three =
                CapacityLimits.within(given, new EngineCapacity(3, 3 * GIB, true, true), Long.MAX_VALUE);
        assertThat(List.of(three.maxRunning(), three.shortLane(), three.maxPaused()))
                .containsExactly(3, 4, 0);
    }

    @Test
    void whatMayBeOpenAtOnceAlwaysHasASlotAndItsMemory() {
        Random random = new Random(5);
        for (int i = 0; i < 2_000; i++) {
            environment
                    .withProperty("weir.admission.max-running", Integer.toString(1 + random.nextInt(40)))
                    .withProperty("weir.admission.short-lane", Integer.toString(random.nextInt(40)))
                    .withProperty("weir.admission.max-paused", Integer.toString(random.nextInt(40)))
                    .withProperty("weir.admission.memory.budget", (1 + random.nextInt(9)) + "GB");
            AdmissionLimits given = limits(false).admission();
            EngineCapacity capacity = new EngineCapacity(1 + random.nextInt(60), GIB + random.nextInt(1 << 30));
            AdmissionLimits cut = CapacityLimits.within(given, capacity, GIB);
            assertThat(most(cut)).as("%s in %s", given, capacity).isLessThanOrEqualTo(capacity.slots());
            assertThat(cut.maxRunning()).isBetween(1, given.maxRunning());
            assertThat(cut.shortLane()).isLessThanOrEqualTo(given.shortLane());
            assertThat(cut.memoryBudgetBytes()).isLessThanOrEqualTo(capacity.memoryBytes());
            assertThat(cut.group("default").memoryMaxPerQueryBytes()).isLessThanOrEqualTo(GIB);
        }
    }

    @Test
    void anEngineWithoutBoundsLeavesTheLimits() {
        AdmissionLimits given = limits(false).admission();
        assertThat(CapacityLimits.within(given, EngineCapacity.UNBOUNDED, 1)).isSameAs(given);
    }

    @Test
    void theDefaultsFollowTheWorkers() {
        RuntimeLimits limits = limits(true);
        AdmissionController admission = attached(limits);
        limits.warm();
        limits.within(new EngineCapacity(32, 8 * GIB), 4 * GIB);
        AdmissionLimits two = admission.snapshot().limits();
        assertThat(two.maxRunning()).isEqualTo(8);
        assertThat(two.shortLane()).isEqualTo(8);
        assertThat(two.maxPaused()).isEqualTo(8);
        assertThat(two.memoryBudgetBytes()).isCloseTo(8 * GIB, org.assertj.core.data.Offset.offset(1L));
        assertThat(two.group("default").memoryMaxPerQueryBytes()).isEqualTo(4 * GIB);
        limits.within(new EngineCapacity(16, 4 * GIB), 4 * GIB);
        AdmissionLimits one = admission.snapshot().limits();
        assertThat(one.maxRunning()).isEqualTo(4);
        assertThat(one.memoryBudgetBytes()).isLessThanOrEqualTo(4 * GIB);
        assertThat(limits.admission()).isEqualTo(one);
    }

    @Test
    void configuredCapsHoldWhateverTheWorkersCouldCarryAndComeBackWithThem() {
        environment.withProperty("weir.admission.max-running", "6").withProperty("weir.admission.short-lane", "0");
        environment.withProperty("weir.admission.groups.etl.memory.budget", "6GB");
        environment.withProperty("weir.admission.memory.budget", "8GB");
        RuntimeLimits limits = limits(true);
        AdmissionController admission = attached(limits);
        limits.within(new EngineCapacity(100, 100 * GIB), 50 * GIB);
        assertThat(admission.snapshot().limits().maxRunning()).isEqualTo(6);
        assertThat(admission.snapshot().limits().memoryBudgetBytes()).isEqualTo(8 * GIB);
        limits.within(new EngineCapacity(2, GIB), GIB);
        assertThat(admission.snapshot().limits().maxRunning()).isEqualTo(2);
        assertThat(admission.snapshot().limits().group("etl").memoryBudgetBytes())
                .isEqualTo(GIB);
        limits.change(Map.of("max-queued", 7), false);
        assertThat(admission.snapshot().limits().maxRunning())
                .as("a change of another limit")
                .isEqualTo(2);
        limits.within(new EngineCapacity(100, 100 * GIB), 50 * GIB);
        assertThat(admission.snapshot().limits().maxRunning()).isEqualTo(6);
        assertThat(admission.snapshot().limits().group("etl").memoryBudgetBytes())
                .isEqualTo(6 * GIB);
        assertThat(admission.snapshot().limits().maxQueued()).isEqualTo(7);
    }

    @Test
    void aBudgetBeyondTheStartsIsForTheEngineOfThisProcessOnly() {
        environment.withProperty("weir.admission.memory.budget", "1GB");
        RuntimeLimits here = limits(false);
        assertThatThrownBy(() -> here.change(Map.of("memory", Map.of("budget", "2GB")), false))
                .isInstanceOf(GatewayException.class)
                .hasMessageContaining("memory.budget");
        RuntimeLimits elsewhere = limits(true);
        elsewhere.within(new EngineCapacity(16, 8 * GIB), 8 * GIB);
        elsewhere.change(Map.of("memory", Map.of("budget", "2GB")), false);
        assertThat(elsewhere.admission().memoryBudgetBytes()).isEqualTo(2 * GIB);
    }

    @Test
    void anyReasonHoldsUntilTheLastIsGone() {
        List<@Nullable WaitReason> told = new ArrayList<>();
        StartHolds holds = new StartHolds(told::add);
        holds.set(WaitReason.WORKERS, false);
        holds.set(WaitReason.HELD, true);
        holds.set(WaitReason.WORKERS, true);
        holds.set(WaitReason.HELD, false);
        assertThat(told).containsExactly(WaitReason.HELD, WaitReason.WORKERS);
        holds.set(WaitReason.WORKERS, false);
        holds.set(WaitReason.WORKERS, false);
        assertThat(told).containsExactly(WaitReason.HELD, WaitReason.WORKERS, null);
    }

    private AdmissionController attached(RuntimeLimits limits) {
        AdmissionController admission =
                AdmissionControllers.create(limits.atStart().admission(), timer, timer, AdmissionListener.NONE);
        limits.attach(admission);
        return admission;
    }
}
