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
        long wanted = limits.maxRunning() + 2L * limits.shortLane();
        long running = limits.maxRunning();
        long lane = limits.shortLane();
        if (wanted > slots) {
            running = Math.max(1, slots * running / wanted);
            lane = Math.min(lane, (slots - running) / 2);
        }
        long paused = Math.min(limits.maxPaused(), slots - running - 2 * lane);
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
