package dev.weir.gateway.cli.simulate;

import java.util.Arrays;

/** Waits of many queries, in nanoseconds. Not thread-safe. */
final class Waits {

    private long[] nanos = new long[16];
    private int size;

    /**
     * What is told of them, in seconds; all 0 when there are none. Quantiles are values that occurred (nearest rank).
     */
    record Summary(double mean, double p50, double p95, double p99, double max) {}

    void add(long wait) {
        if (size == nanos.length) {
            nanos = Arrays.copyOf(nanos, 2 * size);
        }
        nanos[size++] = wait;
    }

    void addAll(Waits others) {
        for (int i = 0; i < others.size; i++) {
            add(others.nanos[i]);
        }
    }

    int size() {
        return size;
    }

    Summary summary() {
        if (size == 0) {
            return new Summary(0, 0, 0, 0, 0);
        }
        long[] sorted = Arrays.copyOf(nanos, size);
        Arrays.sort(sorted);
        double mean = Arrays.stream(sorted).asDoubleStream().sum() / size;
        return new Summary(
                mean / 1e9, quantile(sorted, 50), quantile(sorted, 95), quantile(sorted, 99), sorted[size - 1] / 1e9);
    }

    private static double quantile(long[] sorted, int percent) {
        long rank = ((long) percent * sorted.length + 99) / 100;
        return sorted[(int) rank - 1] / 1e9;
    }
}
