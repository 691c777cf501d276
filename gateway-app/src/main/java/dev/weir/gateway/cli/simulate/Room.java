package dev.weir.gateway.cli.simulate;

import dev.weir.admission.AdmissionLimits;

/** Slots and memory in use under a baseline: the running cap and the memory budget, and no other limit. */
final class Room {

    private final AdmissionLimits limits;
    private int running;
    private long reservedBytes;

    Room(AdmissionLimits limits) {
        this.limits = limits;
    }

    /** Whether it would run when it had the machine for itself. */
    static boolean everFits(SimulatedQuery query) {
        return query.reservedBytes <= query.groupLimits.memoryMaxPerQueryBytes();
    }

    boolean fits(SimulatedQuery query) {
        return running < limits.maxRunning() && query.reservedBytes <= limits.memoryBudgetBytes() - reservedBytes;
    }

    void take(SimulatedQuery query) {
        running++;
        reservedBytes += query.reservedBytes;
    }

    void giveBack(SimulatedQuery query) {
        running--;
        reservedBytes -= query.reservedBytes;
    }
}
