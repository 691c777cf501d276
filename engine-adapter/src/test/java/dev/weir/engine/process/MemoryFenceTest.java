package dev.weir.engine.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which limit of the operating system is set, and how. */
class MemoryFenceTest {

    private static final List<String> COMMAND = List.of("java", "-version");

    @TempDir
    Path directory;

    /** Files as a delegated cgroup has them. */
    private Path group(String controllers, String passedOn, String inside) throws Exception {
        Files.createDirectories(directory.resolve("proc/self"));
        Files.writeString(directory.resolve("proc/self/cgroup"), "0::/own\n");
        Path own = Files.createDirectories(directory.resolve("mount/own"));
        Files.writeString(own.resolve("cgroup.controllers"), controllers + "\n");
        Files.writeString(own.resolve("cgroup.subtree_control"), passedOn + "\n");
        Files.writeString(own.resolve("cgroup.procs"), inside + "\n");
        return own;
    }

    private CgroupFence find() {
        return CgroupFence.find(directory.resolve("proc"), directory.resolve("mount"));
    }

    @Test
    void aDelegatedCgroupGetsALimitForEachChild() throws Exception {
        Path own = group("cpu memory", "memory", "");
        CgroupFence fence = find();
        assertThat(fence).isNotNull();
        MemoryFence.Fenced fenced = fence.fence(7, 100L << 20);
        Path child = own.resolve("weir-child-" + ProcessHandle.current().pid() + "-7");
        assertThat(child.resolve("memory.max")).hasContent(Long.toString(356L << 20));
        assertThat(fenced.within(COMMAND))
                .contains(child.resolve("cgroup.procs").toString())
                .endsWith("java", "-version");
        Files.writeString(child.resolve("memory.events"), "oom 1\noom_kill 0\n");
        assertThat(fenced.killedForMemory()).isFalse();
        Files.writeString(child.resolve("memory.events"), "oom 1\noom_kill 1\n");
        assertThat(fenced.killedForMemory()).isTrue();
    }

    @Test
    void thisProcessMovesAsideWhenItIsAlone() throws Exception {
        String self = Long.toString(ProcessHandle.current().pid());
        Path own = group("memory", "", self);
        assertThat(find()).isNotNull();
        assertThat(own.resolve("weir-gateway/cgroup.procs")).hasContent(self);
        assertThat(own.resolve("cgroup.subtree_control")).hasContent("+memory");
    }

    @Test
    void otherProcessesAreLeftWhereTheyAre() throws Exception {
        Path own = group("memory", "", ProcessHandle.current().pid() + "\n1");
        assertThat(find()).isNull();
        assertThat(own.resolve("weir-gateway")).doesNotExist();
    }

    @Test
    void withoutAMemoryControllerThereIsNone() throws Exception {
        group("cpu", "", "");
        assertThat(find()).isNull();
    }

    @Test
    void theAddressSpaceIsThatOfAnIdleProcessAndOfTheQuery() {
        MemoryFence fence = new AddressSpaceFence(new AddressSpace(700L << 20, 100L << 20));
        assertThat(fence.fence(1, 200L << 20).within(COMMAND))
                .startsWith("/bin/sh", "-c")
                .contains(Long.toString(1000L << 10))
                .endsWith("java", "-version");
    }

    @Test
    void whatWasNotMeasuredIsNotLimited() {
        assertThat(new AddressSpace(0, 0).isOffered()).isFalse();
        assertThat(MemoryFence.none("engine").fence(1, 1).within(COMMAND)).isEqualTo(COMMAND);
    }
}
