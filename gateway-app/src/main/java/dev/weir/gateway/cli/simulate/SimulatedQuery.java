package dev.weir.gateway.cli.simulate;

import dev.weir.admission.AdmissionLimits;
import dev.weir.admission.GroupLimits;
import java.util.function.LongConsumer;

/** A query on its way through a simulation. Not thread-safe. */
final class SimulatedQuery {

    final String id;
    final Ask ask;
    /** The group whose limits count. */
    final String group;

    final GroupLimits groupLimits;
    final long reservedBytes;
    /** Part of the whole that it keeps from others while it runs: of the slots or of the memory, whichever is more. */
    final double share;

    final long submittedNanos;
    /** Tells the client that it ended, and how long to wait at least before the next. */
    final LongConsumer whenEnded;

    long grantedNanos;

    SimulatedQuery(String id, Ask ask, AdmissionLimits limits, long submittedNanos, LongConsumer whenEnded) {
        this.id = id;
        this.ask = ask;
        this.group = limits.groups().containsKey(ask.group()) ? ask.group() : AdmissionLimits.DEFAULT_GROUP;
        this.groupLimits = limits.group(group);
        this.reservedBytes = ask.memoryBytes().orElse(groupLimits.memoryPerQueryBytes());
        this.share = Math.max(1.0 / limits.maxRunning(), (double) reservedBytes / limits.memoryBudgetBytes());
        this.submittedNanos = submittedNanos;
        this.whenEnded = whenEnded;
    }
}
