package dev.weir.admission;

import java.time.Duration;

/**
 * The limits in force. Immutable; checked when made: a value out of range is an {@link IllegalArgumentException} whose
 * message starts with the property's name.
 *
 * @param maxRunning queries that hold a permit at once, at least 1
 * @param maxQueued queries that wait at once, at least 0
 * @param queueTimeout longest wait, positive
 * @param memoryBudgetBytes sum of reservations never passes this, positive
 * @param memoryPerQueryBytes reservation of a query that asks for none
 * @param memoryMaxPerQueryBytes largest reservation that may be asked for, at most the budget
 * @param userMaxRunning queries of one user that hold a permit at once, at least 1
 * @param userMaxQueued queries of one user that wait at once, at least 0
 */
public record AdmissionLimits(
        int maxRunning,
        int maxQueued,
        Duration queueTimeout,
        long memoryBudgetBytes,
        long memoryPerQueryBytes,
        long memoryMaxPerQueryBytes,
        int userMaxRunning,
        int userMaxQueued) {

    public AdmissionLimits {
        require(maxRunning >= 1, "max-running must be at least 1");
        require(maxQueued >= 0, "max-queued must not be negative");
        require(!queueTimeout.isNegative() && !queueTimeout.isZero(), "queue-timeout must be positive");
        require(memoryBudgetBytes > 0, "memory.budget must be positive");
        require(
                memoryMaxPerQueryBytes > 0 && memoryMaxPerQueryBytes <= memoryBudgetBytes,
                "memory.max-per-query must be positive and at most memory.budget");
        require(
                memoryPerQueryBytes > 0 && memoryPerQueryBytes <= memoryMaxPerQueryBytes,
                "memory.per-query must be positive and at most memory.max-per-query");
        require(userMaxRunning >= 1, "user.max-running must be at least 1");
        require(userMaxQueued >= 0, "user.max-queued must not be negative");
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new IllegalArgumentException(message);
        }
    }
}
