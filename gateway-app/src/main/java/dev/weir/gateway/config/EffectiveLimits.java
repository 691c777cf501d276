package dev.weir.gateway.config;

import dev.weir.admission.AdmissionLimits;
import dev.weir.admission.GroupLimits;
import dev.weir.gateway.query.QueryLimits;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The limits after defaults were filled in from the machine and groups from the limits of all. A value that makes no
 * sense is a {@link StartFailedException} that names its property.
 *
 * @param admission for the queue
 * @param clocks for each query
 * @param highWater share of the machine's memory above which nothing is started
 * @param everyone what groups take what they lack from; the default group's own limits unless that one is configured
 * @param everyonesClocks likewise
 */
record EffectiveLimits(
        AdmissionLimits admission,
        QueryLimits clocks,
        double highWater,
        GroupLimits everyone,
        QueryLimits.Clocks everyonesClocks) {

    static final String PREFIX = "weir.admission.";

    /** Share of the machine's memory that queries may reserve; the rest is for heap, Arrow, the network and the OS. */
    static final double MEMORY_SHARE = 0.6;

    /** Queries that may be open at once for each core: twice running, twice the lane of twice, twice paused. */
    static final int SLOTS_PER_CORE = 8;

    /** Places for describing or catalog questions: they must answer at saturation, and can cost as much as a query. */
    private static final int LANE_PLACES = 4;

    private static final int LANE_QUEUE = 256;

    private static final int ENGINE_THREADS_ROOM = 256;

    /** Paused queries for each that runs: each holds its reservation, so the budget bounds them as well. */
    private static final int PAUSED_PER_RUNNING = 4;

    static EffectiveLimits of(WeirProperties.Admission given, int cores, long machineBytes) {
        try {
            return checked(given, cores, machineBytes);
        } catch (IllegalArgumentException e) {
            throw new StartFailedException(PREFIX + e.getMessage(), e);
        }
    }

    private static EffectiveLimits checked(WeirProperties.Admission given, int cores, long machineBytes) {
        LimitsTree.positive("describe-timeout", given.describeTimeout());
        double highWater = given.memory().highWater();
        if (!(highWater > 0.1 && highWater <= 1)) {
            throw new IllegalArgumentException("memory.high-water must be more than 0.1 and at most 1");
        }
        int maxRunning = or(given.maxRunning(), 2 * cores);
        int maxPaused = or(given.maxPaused(), PAUSED_PER_RUNNING * Math.max(1, maxRunning));
        long budget = LimitsTree.bytes(given.memory().budget(), (long) (machineBytes * MEMORY_SHARE));
        int shortLane = or(given.shortLane(), 2 * cores);
        LimitsTree tree = new LimitsTree(given, maxRunning, shortLane, maxPaused, budget);
        Map<String, GroupLimits> groups = new LinkedHashMap<>();
        Map<String, QueryLimits.Clocks> clocks = new LinkedHashMap<>();
        QueryLimits.Clocks everyonesClocks = tree.everyonesClocks();
        GroupLimits everyone = tree.everyone();
        groups.put(AdmissionLimits.DEFAULT_GROUP, everyone);
        for (Map.Entry<String, WeirProperties.Admission.Group> group : new TreeMap<>(given.groups()).entrySet()) {
            groups.put(group.getKey(), tree.group(group.getKey(), group.getValue()));
            clocks.put(group.getKey(), tree.clocks(group.getKey(), group.getValue()));
        }
        AdmissionLimits admission = new AdmissionLimits(
                maxRunning,
                given.maxQueued(),
                shortLane,
                given.shortQuery(),
                maxPaused,
                budget,
                LimitsTree.rate("", given.rate()),
                groups);
        QueryLimits.Clocks others = clocks.getOrDefault(AdmissionLimits.DEFAULT_GROUP, everyonesClocks);
        return new EffectiveLimits(
                admission,
                new QueryLimits(given.describeTimeout(), others, clocks),
                highWater,
                everyone,
                everyonesClocks);
    }

    /** The most important ones, for the log of the start. */
    String summary() {
        GroupLimits others = admission.group(AdmissionLimits.DEFAULT_GROUP);
        return "max-running " + admission.maxRunning() + ", short-lane " + admission.shortLane() + ", max-queued "
                + admission.maxQueued() + ", user.max-running " + others.user().maxRunning() + ", memory.budget "
                + megabytes(admission.memoryBudgetBytes()) + ", memory.per-query "
                + megabytes(others.memoryPerQueryBytes()) + ", groups "
                + new TreeMap<>(admission.groups()).keySet() + "; GET /v1/admission/limits has all";
    }

    private static String megabytes(long bytes) {
        return (bytes >> 20) + "MB";
    }

    /** Limits of a lane beside the queue: few places, fair between users, no memory of its own. */
    AdmissionLimits lane() {
        return AdmissionLimits.flat(
                LANE_PLACES, LANE_QUEUE, clocks.describeTimeout(), LANE_PLACES, 1, 1, LANE_PLACES / 2, LANE_QUEUE / 4);
    }

    /**
     * Threads that the engine may need: every running query, the paused (each may load its next batch while the slot it
     * lent is used by another), the lanes, the check, and as many again of those that run for calls that are stopping.
     */
    int engineThreads() {
        return 2 * (admission.maxRunning() + admission.shortLane()) + admission.maxPaused() + 2 * LANE_PLACES + 8;
    }

    /** Most threads the engine is opened for: some room for limits that are raised while it runs. */
    int engineThreadsAtMost() {
        return engineThreads() + ENGINE_THREADS_ROOM;
    }

    private static int or(@Nullable Integer given, int otherwise) {
        return given != null ? given : otherwise;
    }
}
