package dev.weir.admission;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The limits in force, a tree: all queries, each group, each user. Immutable; checked when made: a value out of range is
 * an {@link IllegalArgumentException} whose message starts with the property's name, below {@code weir.admission}.
 *
 * @param maxRunning queries that hold a slot at once, at least 1
 * @param maxQueued queries that wait at once, at least 0
 * @param shortLane slots beside those, for short queries only; 0 for none
 * @param shortQuery a query expected to take less is short, and one that takes longer leaves the lane; positive
 * @param maxPaused queries whose slot may be lent while their reader pauses, at least 0
 * @param memoryBudgetBytes sum of reservations never passes this, positive
 * @param rate queries that may be submitted; null for as many as one likes
 * @param groups by name; {@link #DEFAULT_GROUP} is always among them
 */
public record AdmissionLimits(
        int maxRunning,
        int maxQueued,
        int shortLane,
        Duration shortQuery,
        int maxPaused,
        long memoryBudgetBytes,
        @Nullable RateLimit rate,
        Map<String, GroupLimits> groups) {

    /** The group of users that belong to none with limits of its own. */
    public static final String DEFAULT_GROUP = "default";

    public AdmissionLimits {
        groups = Map.copyOf(groups);
        require(maxRunning >= 1, "max-running must be at least 1");
        require(maxQueued >= 0, "max-queued must not be negative");
        require(shortLane >= 0, "short-lane must not be negative");
        require(!shortQuery.isNegative() && !shortQuery.isZero(), "short-query must be positive");
        require(maxPaused >= 0, "max-paused must not be negative");
        require(memoryBudgetBytes > 0, "memory.budget must be positive");
        require(groups.containsKey(DEFAULT_GROUP), "groups.default is missing");
        for (Map.Entry<String, GroupLimits> group : new TreeMap<>(groups).entrySet()) {
            require(
                    group.getValue().memoryBudgetBytes() <= memoryBudgetBytes,
                    "groups." + group.getKey() + ".memory.budget must be at most memory.budget");
        }
    }

    /** Limits without groups, lane, pauses and rates: all users are in the default group, which may have everything. */
    public static AdmissionLimits flat(
            int maxRunning,
            int maxQueued,
            Duration queueTimeout,
            long memoryBudgetBytes,
            long memoryPerQueryBytes,
            long memoryMaxPerQueryBytes,
            int userMaxRunning,
            int userMaxQueued) {
        GroupLimits everyone = new GroupLimits(
                maxRunning,
                maxQueued,
                1,
                queueTimeout,
                memoryBudgetBytes,
                memoryPerQueryBytes,
                memoryMaxPerQueryBytes,
                null,
                new UserLimits(userMaxRunning, userMaxQueued, 0, null));
        return new AdmissionLimits(
                maxRunning,
                maxQueued,
                0,
                Duration.ofMillis(250),
                0,
                memoryBudgetBytes,
                null,
                Map.of(DEFAULT_GROUP, everyone));
    }

    /** The same, but queries may come as fast as they like. */
    public AdmissionLimits withoutRates() {
        Map<String, GroupLimits> unrated = new TreeMap<>(groups);
        unrated.replaceAll((name, group) -> group.withoutRates());
        return new AdmissionLimits(
                maxRunning, maxQueued, shortLane, shortQuery, maxPaused, memoryBudgetBytes, null, unrated);
    }

    /** Limits of the group by this name, of the default group when there is none. */
    public GroupLimits group(String name) {
        GroupLimits found = groups.get(name);
        return found == null ? defaultGroup() : found;
    }

    /**
     * The name, below {@code weir.admission}, of a limit that counts for a group or its users: that of the node of the
     * tree which sets it.
     *
     * @param group by its name; one without limits has those of the default group
     * @param property the name below the group's node, as in {@code user.max-running}
     */
    public String nameOf(String group, String property) {
        String node = groups.containsKey(group) ? group : DEFAULT_GROUP;
        return group(node).own().contains(property) ? "groups." + node + "." + property : property;
    }

    private GroupLimits defaultGroup() {
        GroupLimits everyone = groups.get(DEFAULT_GROUP);
        if (everyone == null) {
            throw new IllegalStateException("no default group");
        }
        return everyone;
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new IllegalArgumentException(message);
        }
    }
}
