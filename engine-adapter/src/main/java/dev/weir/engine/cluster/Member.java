package dev.weir.engine.cluster;

import dev.weir.engine.EngineNode;
import dev.weir.engine.remote.WorkerReport;
import org.jspecify.annotations.Nullable;

/**
 * One worker: the way to it, its health, and what runs there. What this gateway runs there it knows exactly; what others
 * do is as old as the last report.
 *
 * <p>Guarded by the lock of {@link Members}, but for the two final fields.
 */
final class Member {

    /** At 1, four gateways in a model pile 25 queries on a worker where 8 were its share; at 1/4, 16, as chance alone does. */
    private static final double OTHERS_WEIGHT = 0.25;

    final WorkerAddress address;
    final WorkerLink link;
    final Health health;

    private @Nullable WorkerReport report;
    private int running;
    private long reservedBytes;
    private int othersRunning;
    private long othersReserved;
    private long busyUntil;
    private boolean busy;
    private boolean leaving;

    Member(WorkerAddress address, WorkerLink link, Health health) {
        this.address = address;
        this.link = link;
        this.health = health;
    }

    /** Takes what the worker told of itself. @return whether it is another process than the one before */
    boolean told(WorkerReport told) {
        WorkerReport before = report;
        report = told;
        othersRunning = Math.max(0, told.running() - running);
        othersReserved = Math.max(0, told.reservedBytes() - reservedBytes);
        return before != null && !before.instance().equals(told.instance());
    }

    void took(long memory) {
        running++;
        reservedBytes += memory;
    }

    void gaveBack(long memory) {
        running--;
        reservedBytes -= memory;
        busy = false;
    }

    /** The worker said that it is full: it is not asked again before then, or before something of ours ends there. */
    void busyUntil(long then) {
        busy = true;
        busyUntil = then;
    }

    private int configuredSlots() {
        WorkerReport told = report;
        int reported = told == null ? 0 : told.slots();
        return address.slots() == 0 ? reported : Math.min(reported, address.slots());
    }

    /** Slots that it may have now; while it comes back only a part, at least one. */
    int slots(long now) {
        int all = configuredSlots();
        double share = isUsable() ? health.share(now) : 0;
        return share == 0 || all == 0 ? 0 : Math.max(1, (int) (all * share));
    }

    long memoryBytes() {
        WorkerReport told = report;
        long reported = told == null ? 0 : told.memoryBytes();
        return address.memoryBytes() == 0 ? reported : Math.min(reported, address.memoryBytes());
    }

    boolean isUsable() {
        return !leaving && report != null && health.isUsable();
    }

    boolean isReadOnly() {
        WorkerReport told = report;
        return told != null && told.engine().readOnly();
    }

    /** Whether our own count leaves room for one more query. */
    boolean hasRoom(long memory, long now) {
        boolean full = busy && now - busyUntil < 0;
        return !full && running < slots(now) && memory <= memoryBytes() - reservedBytes;
    }

    /**
     * How much of it would be taken with one more query: of the slots or of the memory, whichever is more. What others run
     * there counts in part: every gateway has the same report for a while, and all would run after it.
     */
    double loadWith(long memory, long now) {
        double slotShare = (running + 1 + OTHERS_WEIGHT * othersRunning) / Math.max(1, slots(now));
        double memoryShare = (reservedBytes + memory + OTHERS_WEIGHT * othersReserved) / Math.max(1, memoryBytes());
        return Math.max(slotShare, memoryShare);
    }

    int running() {
        return running;
    }

    void leave(boolean leaves) {
        leaving = leaves;
    }

    boolean isLeaving() {
        return leaving;
    }

    @Nullable
    WorkerReport report() {
        return report;
    }

    EngineNode view() {
        WorkerReport told = report;
        return new EngineNode(
                address.name(),
                address.text(),
                leaving ? EngineNode.State.DRAINING : health.state(),
                health.since(),
                configuredSlots(),
                running + othersRunning,
                memoryBytes(),
                reservedBytes + othersReserved,
                told == null ? "none" : told.limit(),
                leaving ? "no longer listed" : health.reason());
    }
}
