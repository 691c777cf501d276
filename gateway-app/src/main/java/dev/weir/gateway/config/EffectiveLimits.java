package dev.weir.gateway.config;

import dev.weir.admission.AdmissionLimits;
import dev.weir.gateway.query.QueryLimits;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;

/**
 * The limits after defaults were filled in from the machine. A value that makes no sense is a
 * {@link StartFailedException} that names its property.
 *
 * @param admission for the queue
 * @param clocks for each query
 */
record EffectiveLimits(AdmissionLimits admission, QueryLimits clocks) {

    /** Share of the machine's memory that queries may reserve; the rest is for heap, Arrow, the network and the OS. */
    private static final double MEMORY_SHARE = 0.6;

    /** Places for describing or catalog questions: they must answer at saturation, and can cost as much as a query. */
    private static final int LANE_PLACES = 4;

    private static final int LANE_QUEUE = 256;

    static EffectiveLimits of(WeirProperties.Admission given, int cores, long machineBytes) {
        positive("queue-timeout", given.queueTimeout());
        positive("statement-timeout", given.statementTimeout());
        positive("client-stall-timeout", given.clientStallTimeout());
        positive("describe-timeout", given.describeTimeout());
        int maxRunning = given.maxRunning() != null ? given.maxRunning() : 2 * cores;
        Integer userGiven = given.user().maxRunning();
        int userMaxRunning = userGiven != null ? userGiven : Math.max(1, maxRunning / 2);
        long budget = bytes(given.memory().budget(), (long) (machineBytes * MEMORY_SHARE));
        long max = bytes(given.memory().maxPerQuery(), budget);
        long perQuery = bytes(given.memory().perQuery(), Math.min(max, budget / Math.max(1, maxRunning)));
        try {
            AdmissionLimits admission = AdmissionLimits.flat(
                    maxRunning,
                    given.maxQueued(),
                    given.queueTimeout(),
                    budget,
                    perQuery,
                    max,
                    userMaxRunning,
                    given.user().maxQueued());
            QueryLimits clocks = new QueryLimits(
                    given.queueTimeout(),
                    given.statementTimeout(),
                    given.clientStallTimeout(),
                    given.describeTimeout());
            return new EffectiveLimits(admission, clocks);
        } catch (IllegalArgumentException e) {
            throw new StartFailedException("weir.admission." + e.getMessage(), e);
        }
    }

    /** Limits of a lane beside the queue: few places, fair between users, no memory of its own. */
    AdmissionLimits lane() {
        return AdmissionLimits.flat(
                LANE_PLACES, LANE_QUEUE, clocks.describeTimeout(), LANE_PLACES, 1, 1, LANE_PLACES / 2, LANE_QUEUE / 4);
    }

    /** Threads that the engine may need: every running query, both lanes, the check, and some that are stopping. */
    int engineThreads() {
        return 2 * admission.maxRunning() + 2 * LANE_PLACES + 8;
    }

    private static void positive(String name, Duration value) {
        if (value.isNegative() || value.isZero()) {
            throw new StartFailedException("weir.admission." + name + " must be positive");
        }
    }

    private static long bytes(@Nullable DataSize given, long otherwise) {
        return given == null ? otherwise : given.toBytes();
    }
}
