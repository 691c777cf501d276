package dev.weir.admission;

import java.time.Duration;

/** Limits for tests, changed one at a time. Wide open unless said otherwise. */
record Limits(
        int maxRunning,
        int maxQueued,
        Duration queueTimeout,
        long budget,
        long perQuery,
        long maxPerQuery,
        int userMaxRunning,
        int userMaxQueued) {

    static Limits running(int maxRunning) {
        return new Limits(maxRunning, 1_000_000, Duration.ofDays(10), 1_000_000, 1, 1_000_000, 1_000, 1_000_000);
    }

    Limits queued(int limit) {
        return new Limits(
                maxRunning, limit, queueTimeout, budget, perQuery, maxPerQuery, userMaxRunning, userMaxQueued);
    }

    Limits timeout(Duration limit) {
        return new Limits(maxRunning, maxQueued, limit, budget, perQuery, maxPerQuery, userMaxRunning, userMaxQueued);
    }

    /** The budget, which is also the most a query may have. */
    Limits memory(long limit) {
        return new Limits(maxRunning, maxQueued, queueTimeout, limit, perQuery, limit, userMaxRunning, userMaxQueued);
    }

    Limits perQuery(long bytes) {
        return new Limits(
                maxRunning, maxQueued, queueTimeout, budget, bytes, maxPerQuery, userMaxRunning, userMaxQueued);
    }

    Limits userRunning(int limit) {
        return new Limits(maxRunning, maxQueued, queueTimeout, budget, perQuery, maxPerQuery, limit, userMaxQueued);
    }

    Limits userQueued(int limit) {
        return new Limits(maxRunning, maxQueued, queueTimeout, budget, perQuery, maxPerQuery, userMaxRunning, limit);
    }

    AdmissionLimits build() {
        return AdmissionLimits.flat(
                maxRunning, maxQueued, queueTimeout, budget, perQuery, maxPerQuery, userMaxRunning, userMaxQueued);
    }
}
