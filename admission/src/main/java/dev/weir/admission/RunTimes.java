package dev.weir.admission;

import java.time.Duration;
import java.util.Arrays;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The last run times of one statement, user or group, and of a statement the last peaks of memory: quantiles over a window, and a mean in which older runs weigh less
 * and less. Guarded by the controller's lock.
 */
final class RunTimes {

    /** Few enough to follow a change of the data within as many runs, enough for a 90 % quantile to bear one outlier. */
    static final int WINDOW = 16;

    /** About the last 20 runs count in the mean. */
    private static final double LEAST_WEIGHT = 0.1;

    /** Peaks of memory needed before they are believed. */
    static final int PEAKS_NEEDED = 3;

    /** What is reserved at least: less is not worth a failure. */
    static final long LEAST_RESERVATION = 64L << 20;

    private final long[] window = new long[WINDOW];

    /** The last peaks of memory, in bytes; null while none was measured. */
    private long @Nullable [] peaks;

    private long peaksSeen;
    private long runs;
    private double meanNanos;
    private long p50Nanos;
    private long p90Nanos;

    void add(long nanos) {
        window[(int) (runs % WINDOW)] = nanos;
        runs++;
        meanNanos += Math.max(1.0 / runs, LEAST_WEIGHT) * (nanos - meanNanos);
        long[] sorted = Arrays.copyOf(window, (int) Math.min(runs, WINDOW));
        Arrays.sort(sorted);
        p50Nanos = sorted[(sorted.length - 1) / 2];
        p90Nanos = sorted[(int) Math.ceil(0.9 * sorted.length) - 1];
    }

    /** Notes the most memory that a run had. */
    void addPeak(long bytes) {
        long[] known = peaks;
        if (known == null) {
            known = new long[WINDOW];
            peaks = known;
        }
        known[(int) (peaksSeen % WINDOW)] = bytes;
        peaksSeen++;
    }

    /** The largest of the last peaks, in bytes; empty while none was measured. */
    OptionalLong peakBytes() {
        long[] known = peaks;
        return known == null ? OptionalLong.empty() : Arrays.stream(known).max();
    }

    /** What a run is given by its peaks: half as much again as the largest; empty while there are too few. */
    OptionalLong learnedBytes() {
        if (peaksSeen < PEAKS_NEEDED) {
            return OptionalLong.empty();
        }
        long largest = peakBytes().orElse(0);
        return OptionalLong.of(
                Math.max(LEAST_RESERVATION, largest > Long.MAX_VALUE / 2 ? largest : largest + largest / 2));
    }

    long runs() {
        return runs;
    }

    double meanNanos() {
        return meanNanos;
    }

    long p50Nanos() {
        return p50Nanos;
    }

    long p90Nanos() {
        return p90Nanos;
    }

    RunTimeStats stats(RunTimeStats.Scope scope, String key, QueryClass queryClass) {
        return new RunTimeStats(
                scope,
                key,
                runs,
                Duration.ofNanos(Math.round(meanNanos)),
                Duration.ofNanos(p50Nanos),
                Duration.ofNanos(p90Nanos),
                queryClass,
                peakBytes(),
                learnedBytes());
    }
}
