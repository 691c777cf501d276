package dev.weir.engine.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongSupplier;

/**
 * Most resident memory of this process since it was asked last, above what it had when it was idle, in bytes. Linux
 * only: elsewhere it is 0, which means that it is not known.
 */
final class PeakMemory implements LongSupplier {

    /** Written to clear_refs, it lets the peak begin anew at what is resident now. */
    private static final String RESET_PEAK = "5";

    private final Path process;
    private final long idle;

    /** Takes what is resident now as the idle size. */
    PeakMemory(Path process) {
        this.process = process;
        this.idle = Math.max(0, kilobytes(process, "VmRSS:") << 10);
    }

    /** Of this process. */
    static PeakMemory ofThisProcess() {
        return new PeakMemory(Path.of("/proc/self"));
    }

    @Override
    public synchronized long getAsLong() {
        long peak = kilobytes(process, "VmHWM:");
        try {
            Files.writeString(process.resolve("clear_refs"), RESET_PEAK);
        } catch (IOException e) {
            // Without it the peak would be that of all queries so far.
            return 0;
        }
        return peak < 0 ? 0 : Math.max(0, (peak << 10) - idle);
    }

    /** Bytes of address space of a process; -1 where that is not known. */
    static long addressSpace(long pid) {
        long kilobytes = kilobytes(Path.of("/proc", Long.toString(pid)), "VmPeak:");
        return kilobytes < 0 ? -1 : kilobytes << 10;
    }

    private static long kilobytes(Path process, String field) {
        try {
            String status = Files.readString(process.resolve("status"), StandardCharsets.UTF_8);
            return status.lines()
                    .filter(line -> line.startsWith(field))
                    .map(line -> line.replaceAll("[^0-9]", ""))
                    .filter(digits -> !digits.isEmpty())
                    .mapToLong(Long::parseLong)
                    .findFirst()
                    .orElse(-1);
        } catch (IOException e) {
            return -1;
        }
    }
}
