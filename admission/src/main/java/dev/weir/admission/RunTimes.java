package dev.weir.admission;

import java.time.Duration;
import java.util.Arrays;

/**
 * The last run times of one statement, user or group: quantiles over a window, and a mean in which older runs weigh less
 * and less. Guarded by the controller's lock.
 */
final class RunTimes {

    /** Few enough to follow a change of the data within as many runs, enough for a 90 % quantile to bear one outlier. */
    static final int WINDOW = 16;

    /** About the last 20 runs count in the mean. */
    private static final double LEAST_WEIGHT = 0.1;

    private final long[] window = new long[WINDOW];
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
                queryClass);
    }
}
