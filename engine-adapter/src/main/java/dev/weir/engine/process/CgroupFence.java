package dev.weir.engine.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A cgroup (version 2) with {@code memory.max} for each child, where this process may make such: its own group is
 * writable and has the memory controller to pass on. Since a group with limits below it may hold no process itself, this
 * process moves into a sub-group of its own first; it only does so when it is alone in its group.
 *
 * @param base the group that this process was found in
 */
record CgroupFence(Path base) implements MemoryFence {

    private static final Logger log = LoggerFactory.getLogger(CgroupFence.class);

    /** What a child needs beside its query's memory: JVM, native library, stacks, batches that are sent. */
    private static final long RESERVE_BYTES = 256L << 20;

    private static final String PREFIX = "weir-child-";

    private static final String SCRIPT = "echo $$ > \"$0\" && exec \"$@\"";

    /** Null where limits cannot be set. */
    static @Nullable CgroupFence find(Path proc, Path mount) {
        try {
            Path own = own(proc, mount);
            if (own == null
                    || !Files.isWritable(own)
                    || !words(own.resolve("cgroup.controllers")).contains("memory")) {
                return null;
            }
            if (!words(own.resolve("cgroup.subtree_control")).contains("memory")) {
                passOn(own);
            }
            removeOld(own);
            return probe(own) ? new CgroupFence(own) : null;
        } catch (IOException e) {
            log.debug("Limits by cgroup are not possible", e);
            return null;
        }
    }

    private static @Nullable Path own(Path proc, Path mount) throws IOException {
        for (String line : Files.readAllLines(proc.resolve("self").resolve("cgroup"))) {
            if (line.startsWith("0::/")) {
                Path own = mount.resolve(line.substring("0::/".length()));
                return Files.exists(own.resolve("cgroup.controllers")) ? own : null;
            }
        }
        return null;
    }

    private static void passOn(Path own) throws IOException {
        List<String> inside = words(own.resolve("cgroup.procs"));
        String self = Long.toString(ProcessHandle.current().pid());
        if (!inside.equals(List.of(self))) {
            throw new IOException("Other processes are in " + own);
        }
        Path leaf = Files.createDirectories(own.resolve("weir-gateway"));
        Files.writeString(leaf.resolve("cgroup.procs"), self);
        try {
            Files.writeString(own.resolve("cgroup.subtree_control"), "+memory");
        } catch (IOException e) {
            Files.writeString(own.resolve("cgroup.procs"), self);
            throw e;
        }
    }

    /** Groups of an earlier process here; those with processes in them cannot be removed and stay. */
    private static void removeOld(Path own) throws IOException {
        for (Path group : Directories.list(own)) {
            if (group.getFileName().toString().startsWith(PREFIX)) {
                delete(group);
            }
        }
    }

    /** Whether a limit that is set can be read again. */
    private static boolean probe(Path own) throws IOException {
        Path group = Files.createDirectories(own.resolve(PREFIX + "probe"));
        try {
            String limit = Long.toString(1L << 30);
            Files.writeString(group.resolve("memory.max"), limit);
            return words(group.resolve("memory.max")).equals(List.of(limit));
        } finally {
            delete(group);
        }
    }

    private static List<String> words(Path file) throws IOException {
        return List.of(Files.readString(file).strip().split("\\s+"));
    }

    private static void delete(Path group) {
        try {
            Files.deleteIfExists(group);
        } catch (IOException e) {
            log.debug("The cgroup {} cannot be removed", group, e);
        }
    }

    @Override
    public String name() {
        return "cgroup";
    }

    @Override
    public String description() {
        return "memory.max of a cgroup: the query's memory and " + (RESERVE_BYTES >> 20) + " MB for the process";
    }

    @Override
    public Fenced fence(long number, long memoryBytes) {
        Path group = base.resolve(PREFIX + ProcessHandle.current().pid() + "-" + number);
        try {
            Files.createDirectories(group);
            Files.writeString(group.resolve("memory.max"), Long.toString(Math.addExact(memoryBytes, RESERVE_BYTES)));
            Path swap = group.resolve("memory.swap.max");
            if (Files.exists(swap)) {
                Files.writeString(swap, "0");
            }
        } catch (IOException e) {
            delete(group);
            throw new ChildStartException("isolation", "The cgroup of a process cannot be made: " + e, e);
        }
        return new Group(group);
    }

    private record Group(Path group) implements Fenced {

        @Override
        public List<String> within(List<String> command) {
            List<String> whole = new ArrayList<>(List.of(
                    "/bin/sh", "-c", SCRIPT, group.resolve("cgroup.procs").toString()));
            whole.addAll(command);
            return whole;
        }

        @Override
        public boolean killedForMemory() {
            try {
                return Files.readAllLines(group.resolve("memory.events")).stream()
                        .anyMatch(line -> line.matches("oom_kill [1-9][0-9]*"));
            } catch (IOException e) {
                return false;
            }
        }

        @Override
        public void remove() {
            delete(group);
        }
    }
}
