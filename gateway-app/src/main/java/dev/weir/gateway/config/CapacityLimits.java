package dev.weir.gateway.config;

import dev.weir.admission.AdmissionLimits;
import dev.weir.admission.GroupLimits;
import dev.weir.engine.EngineCapacity;
import java.util.Map;
import java.util.TreeMap;

/** Limits cut down to what an engine can carry. */
final class CapacityLimits {

    private CapacityLimits() {}

    /**
     * The same limits, but so that all that may be open at once (running, overrun from the lane, paused) has a slot, and
     * what is reserved has its memory. Running queries and the lane are cut in proportion, pauses first.
     *
     * @param capacity of at least one slot
     * @param largestQuery most memory that one query can have anywhere, in bytes
     */
    static AdmissionLimits within(AdmissionLimits limits, EngineCapacity capacity, long largestQuery) {
        if (capacity.equals(EngineCapacity.UNBOUNDED)) {
            return limits;
        }
        long slots = capacity.slots();
        long running = limits.maxRunning();
        long lane = limits.shortLane();
        long wanted = running + lanes(lane, capacity);
        if (wanted > slots) {
            running = Math.max(1, slots * running / wanted);
            lane = capacity.shortQueriesShare() ? lane : Math.min(lane, (slots - running) / 2);
        }
        long paused = Math.min(limits.maxPaused(), slots - running - lanes(lane, capacity));
        long memory = Math.max(1, Math.min(limits.memoryBudgetBytes(), capacity.memoryBytes()));
        Map<String, GroupLimits> groups = new TreeMap<>(limits.groups());
        groups.replaceAll((name, group) -> within(group, memory, largestQuery));
        return new AdmissionLimits(
                (int) running,
                limits.maxQueued(),
                (int) lane,
                limits.shortQuery(),
                (int) paused,
                memory,
                limits.rate(),
                groups);
    }

    /** Slots of short queries: as many again may have overrun and kept their places. */
    private static long lanes(long lane, EngineCapacity capacity) {
        return capacity.shortQueriesShare() ? 0 : 2 * lane;
    }

    private static GroupLimits within(GroupLimits group, long memory, long largestQuery) {
        long budget = Math.min(group.memoryBudgetBytes(), memory);
        long most = Math.max(1, Math.min(Math.min(group.memoryMaxPerQueryBytes(), budget), largestQuery));
        return new GroupLimits(
                group.maxRunning(),
                group.maxQueued(),
                group.weight(),
                group.queueTimeout(),
                budget,
                Math.min(group.memoryPerQueryBytes(), most),
                most,
                group.rate(),
                group.user(),
                group.own());
    }
}
