package dev.weir.clients;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Resident memory (VmRSS) of a process and of all processes below it, ten times a second until closed; on Linux. */
final class MemorySamples implements AutoCloseable {

    private static final long EVERY_MILLIS = 100;

    /** Bytes; pages that processes share count in each of them. */
    private record Sample(long own, long below) {}

    private final ProcessHandle process;
    private final List<Sample> samples = new ArrayList<>();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

    private MemorySamples(ProcessHandle process) {
        this.process = process;
    }

    static MemorySamples of(ProcessHandle process) {
        MemorySamples samples = new MemorySamples(process);
        var unused = samples.timer.scheduleAtFixedRate(samples::take, 0, EVERY_MILLIS, TimeUnit.MILLISECONDS);
        return samples;
    }

    private void take() {
        long below = process.descendants().mapToLong(MemorySamples::resident).sum();
        Sample sample = new Sample(resident(process), below);
        synchronized (samples) {
            samples.add(sample);
        }
    }

    /** Of a process that has ended: 0. */
    private static long resident(ProcessHandle process) {
        try {
            return Files.readAllLines(Path.of("/proc", Long.toString(process.pid()), "status")).stream()
                    .filter(line -> line.startsWith("VmRSS:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) << 10)
                    .sum();
        } catch (IOException ended) {
            return 0;
        }
    }

    /** Most bytes of all processes below together, at one moment. */
    long mostBelow() {
        synchronized (samples) {
            return samples.stream().mapToLong(Sample::below).max().orElse(0);
        }
    }

    /** Most bytes of the process in one quarter of the time, 0 to 3. */
    long mostIn(int quarter) {
        synchronized (samples) {
            int size = samples.size();
            return samples.subList(size * quarter / 4, size * (quarter + 1) / 4).stream()
                    .mapToLong(Sample::own)
                    .max()
                    .orElse(0);
        }
    }

    int count() {
        synchronized (samples) {
            return samples.size();
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
