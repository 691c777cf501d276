package dev.weir.admission;

import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the users of a group may have together, and each of them. Immutable; a value out of range is an
 * {@link IllegalArgumentException} whose message starts with the property's name.
 *
 * @param maxRunning queries that hold a slot at once, at least 1; those in the lane for short queries are not counted
 * @param maxQueued queries that wait at once, at least 0
 * @param weight share of the resource time while others want it too, more than 0 and at most 1,000,000
 * @param queueTimeout longest wait, positive
 * @param memoryBudgetBytes sum of the group's reservations never passes this, positive
 * @param memoryPerQueryBytes reservation of a query that asks for none
 * @param memoryMaxPerQueryBytes largest reservation that may be asked for, at most the group's budget
 * @param rate queries that may be submitted; null for as many as one likes
 * @param user what each user may have
 * @param own which of these limits are the group's own, by their names below its node, as in {@code user.max-running};
 *     the others are those of all
 */
public record GroupLimits(
        int maxRunning,
        int maxQueued,
        double weight,
        Duration queueTimeout,
        long memoryBudgetBytes,
        long memoryPerQueryBytes,
        long memoryMaxPerQueryBytes,
        @Nullable RateLimit rate,
        UserLimits user,
        Set<String> own) {

    private static final double MOST_WEIGHT = 1_000_000;

    public GroupLimits {
        own = Set.copyOf(own);
        require(maxRunning >= 1, "max-running must be at least 1");
        require(maxQueued >= 0, "max-queued must not be negative");
        require(weight > 0 && weight <= MOST_WEIGHT, "weight must be more than 0 and at most 1000000");
        require(!queueTimeout.isNegative() && !queueTimeout.isZero(), "queue-timeout must be positive");
        require(memoryBudgetBytes > 0, "memory.budget must be positive");
        require(
                memoryMaxPerQueryBytes > 0 && memoryMaxPerQueryBytes <= memoryBudgetBytes,
                "memory.max-per-query must be positive and at most memory.budget");
        require(
                memoryPerQueryBytes > 0 && memoryPerQueryBytes <= memoryMaxPerQueryBytes,
                "memory.per-query must be positive and at most memory.max-per-query");
    }

    /** Limits that are those of all. */
    public GroupLimits(
            int maxRunning,
            int maxQueued,
            double weight,
            Duration queueTimeout,
            long memoryBudgetBytes,
            long memoryPerQueryBytes,
            long memoryMaxPerQueryBytes,
            @Nullable RateLimit rate,
            UserLimits user) {
        this(
                maxRunning,
                maxQueued,
                weight,
                queueTimeout,
                memoryBudgetBytes,
                memoryPerQueryBytes,
                memoryMaxPerQueryBytes,
                rate,
                user,
                Set.of());
    }

    GroupLimits withoutRates() {
        return new GroupLimits(
                maxRunning,
                maxQueued,
                weight,
                queueTimeout,
                memoryBudgetBytes,
                memoryPerQueryBytes,
                memoryMaxPerQueryBytes,
                null,
                new UserLimits(user.maxRunning(), user.maxQueued(), user.maxPaused(), null),
                own);
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new IllegalArgumentException(message);
        }
    }
}
