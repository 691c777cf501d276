package dev.weir.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeGuardTest {

    private static final long TICK = 250_000_000L;

    private final List<Boolean> held = new ArrayList<>();
    private final List<Long> moments = new ArrayList<>();
    private final List<GatewayException> failures = new ArrayList<>();
    private long now;
    private long used;
    private final NodeGuard guard = new NodeGuard(
            () -> Optional.of(new NodeMemory.Use(used, 1000)), () -> now, () -> 0.9, held::add, (moment, failure) -> {
                moments.add(moment);
                failures.add(failure);
                return Optional.of("q");
            });

    @TempDir
    Path directory;

    @Test
    void aboveTheMarkNothingStartsAndOneQueryEndsWithEachLook() {
        look(500);
        look(900);
        assertThat(held).isEmpty();
        look(901);
        look(950);
        assertThat(held).containsExactly(true);
        assertThat(failures).hasSize(2);
        assertThat(failures.get(0).code()).isEqualTo(GatewayErrorCode.MEMORY_LIMIT);
        assertThat(failures.get(0).text()).contains("memory.high-water (0.9)");
        look(870);
        look(851);
        assertThat(held).as("between the marks").containsExactly(true);
        assertThat(failures).hasSize(2);
        look(849);
        assertThat(held).containsExactly(true, false);
    }

    @Test
    void theMomentIsWhenMemoryBeganToRise() {
        look(500);
        look(505);
        look(498);
        long rise = now + TICK;
        look(600);
        look(700);
        look(695);
        look(850);
        look(930);
        assertThat(moments).containsExactly(rise);
    }

    @Test
    void aSlowRiseBeganWhereItLeftItsLevel() {
        look(500);
        for (int share = 504; share <= 508; share += 4) {
            look(share);
        }
        long rise = now + TICK;
        for (int share = 512; share <= 904; share += 4) {
            look(share);
        }
        assertThat(moments).containsExactly(rise);
    }

    @Test
    void memoryThatStoodStillOnAHigherLevelRisesFromThere() {
        look(300);
        look(700);
        for (int i = 0; i < 25; i++) {
            look(700);
        }
        long rise = now + TICK;
        look(950);
        assertThat(moments).containsExactly(rise);
    }

    @Test
    void theCgroupsLimitCountsWithoutItsCaches() throws IOException {
        write("proc/self/status", "Name:\tjava\nVmRSS:\t    2048 kB\n");
        write("proc/self/cgroup", "0::/pod/weir\n");
        assertThat(memory().read()).contains(new NodeMemory.Use(2L << 20, 1L << 30));
        write("cgroup/pod/weir/memory.max", "max\n");
        write("cgroup/pod/weir/memory.current", "900\n");
        assertThat(memory().read()).contains(new NodeMemory.Use(2L << 20, 1L << 30));
        write("cgroup/pod/weir/memory.max", "8388608\n");
        write("cgroup/pod/weir/memory.current", "7000000\n");
        write("cgroup/pod/weir/memory.stat", "anon 1\ninactive_file 1000000\nactive_file 2000000\nshmem 5\n");
        assertThat(memory().read()).contains(new NodeMemory.Use(4_000_000, 8L << 20));
    }

    @Test
    void theLimitOfAGroupAboveHolds() throws IOException {
        write("proc/self/cgroup", "0::/pod/weir\n");
        write("cgroup/pod/weir/memory.max", "max\n");
        write("cgroup/pod/weir/memory.current", "900\n");
        write("cgroup/pod/memory.max", "8388608\n");
        write("cgroup/pod/memory.current", "7000000\n");
        assertThat(memory().read()).contains(new NodeMemory.Use(7_000_000, 8L << 20));
    }

    @Test
    void theMemoryOfChildrenIsCounted() throws IOException {
        write("proc/self/status", "Name:\tjava\nVmRSS:\t    2048 kB\n");
        write("proc/7/status", "Name:\tjava\nVmRSS:\t    4096 kB\nRssAnon:\t    1024 kB\n");
        NodeMemory memory =
                new NodeMemory(directory.resolve("proc"), directory.resolve("cgroup"), 1L << 30, () -> List.of(7L, 8L));
        assertThat(memory.read()).contains(new NodeMemory.Use(3L << 20, 1L << 30));
    }

    @Test
    void theRootsFilesAreThoseOfAContainer() throws IOException {
        write("proc/self/cgroup", "0::/\n");
        write("cgroup/memory.max", "8388608\n");
        write("cgroup/memory.current", "7000000\n");
        assertThat(memory().read()).contains(new NodeMemory.Use(7_000_000, 8L << 20));
    }

    @Test
    void whereNoFilesAreNothingIsGuarded() {
        assertThat(memory().read()).isEmpty();
    }

    private NodeMemory memory() {
        return new NodeMemory(directory.resolve("proc"), directory.resolve("cgroup"), 1L << 30);
    }

    private void write(String name, String text) throws IOException {
        Path file = directory.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private void look(long share) {
        now += TICK;
        used = share;
        guard.look();
    }
}
