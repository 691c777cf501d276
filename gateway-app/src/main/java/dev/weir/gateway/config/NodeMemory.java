package dev.weir.gateway.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Memory in use and its limit, from Linux's files: of the cgroup where it has a limit, else of the process, its children
 * and the machine.
 */
final class NodeMemory {

    /** Caches of files: the kernel gives them up before anybody is killed. */
    private static final List<String> CACHES = List.of("inactive_file", "active_file");

    private final Path proc;
    private final Path cgroups;
    private final long machineBytes;
    private final Supplier<List<Long>> children;

    /**
     * @param used bytes that cannot be given up
     * @param limit bytes that there are
     */
    record Use(long used, long limit) {
        double share() {
            return (double) used / limit;
        }
    }

    /**
     * @param proc usually /proc
     * @param cgroups usually /sys/fs/cgroup
     */
    NodeMemory(Path proc, Path cgroups, long machineBytes) {
        this(proc, cgroups, machineBytes, List::of);
    }

    /** @param children process ids whose memory counts as this process's own */
    NodeMemory(Path proc, Path cgroups, long machineBytes, Supplier<List<Long>> children) {
        this.children = children;
        this.proc = proc;
        this.cgroups = cgroups;
        this.machineBytes = machineBytes;
    }

    /** Empty where the files are not there. */
    Optional<Use> read() {
        long resident = withChildren(kilobytes("self", "VmRSS:"));
        Path group = group();
        long limit = number(group.resolve("memory.max"));
        long current = number(group.resolve("memory.current"));
        if (limit > 0 && limit < machineBytes && current >= 0) {
            return Optional.of(new Use(Math.max(resident, current - caches(group)), limit));
        }
        return resident < 0 ? Optional.empty() : Optional.of(new Use(resident, machineBytes));
    }

    /** Only what is theirs alone: the library that they all run is counted once, with this process. */
    private long withChildren(long own) {
        if (own < 0) {
            return own;
        }
        long bytes = own;
        for (long child : children.get()) {
            bytes += Math.max(0, kilobytes(Long.toString(child), "RssAnon:"));
        }
        return bytes;
    }

    /** A field of a process's status, in bytes; -1 when it is not known. */
    private long kilobytes(String process, String field) {
        return lines(proc.resolve(process).resolve("status")).stream()
                .filter(line -> line.startsWith(field))
                .map(line -> line.replaceAll("[^0-9]", ""))
                .mapToLong(kilobytes -> Long.parseLong(kilobytes) << 10)
                .findFirst()
                .orElse(-1);
    }

    private Path group() {
        for (String line : lines(proc.resolve("self").resolve("cgroup"))) {
            if (line.startsWith("0::/")) {
                Path own = cgroups.resolve(line.substring("0::/".length()));
                if (Files.exists(own.resolve("memory.max"))) {
                    return limiting(own);
                }
            }
        }
        // In a container the own group is mounted as the root.
        return cgroups;
    }

    /** The group whose limit holds: the own one, or the nearest above it that has one. */
    private Path limiting(Path own) {
        for (Path group = own; group != null && group.startsWith(cgroups); group = group.getParent()) {
            if (number(group.resolve("memory.max")) > 0) {
                return group;
            }
        }
        return own;
    }

    private static long caches(Path group) {
        long bytes = 0;
        for (String line : lines(group.resolve("memory.stat"))) {
            int space = line.indexOf(' ');
            if (space > 0 && CACHES.contains(line.substring(0, space))) {
                bytes += Long.parseLong(line.substring(space + 1).strip());
            }
        }
        return bytes;
    }

    /** The file's number; -1 when there is none, or it says max. */
    private static long number(Path file) {
        List<String> lines = lines(file);
        String text = lines.isEmpty() ? "" : lines.get(0).strip();
        return !text.isEmpty() && text.chars().allMatch(Character::isDigit) ? Long.parseLong(text) : -1;
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            return List.of();
        }
    }
}
