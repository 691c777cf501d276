package dev.weir.gateway.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Memory in use and its limit, from Linux's files: of the cgroup where it has a limit, else of the process and the
 * machine.
 */
final class NodeMemory {

    /** Caches of files: the kernel gives them up before anybody is killed. */
    private static final List<String> CACHES = List.of("inactive_file", "active_file");

    private final Path proc;
    private final Path cgroups;
    private final long machineBytes;

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
        this.proc = proc;
        this.cgroups = cgroups;
        this.machineBytes = machineBytes;
    }

    /** Empty where the files are not there. */
    Optional<Use> read() {
        long resident = resident();
        Path group = group();
        long limit = number(group.resolve("memory.max"));
        long current = number(group.resolve("memory.current"));
        if (limit > 0 && limit < machineBytes && current >= 0) {
            return Optional.of(new Use(Math.max(resident, current - caches(group)), limit));
        }
        return resident < 0 ? Optional.empty() : Optional.of(new Use(resident, machineBytes));
    }

    /** The process's resident memory in bytes; -1 when it is not known. */
    private long resident() {
        return lines(proc.resolve("self").resolve("status")).stream()
                .filter(line -> line.startsWith("VmRSS:"))
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
                    return own;
                }
            }
        }
        // In a container the own group is mounted as the root.
        return cgroups;
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
