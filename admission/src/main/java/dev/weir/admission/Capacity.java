package dev.weir.admission;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is in use, and the limits it is held against: one predicate per limit. Limits may drop under what is in use;
 * then the predicates say no until enough was given back.
 *
 * <p>Guarded by the controller's lock.
 */
final class Capacity {

    /** Longest wait that the clock's arithmetic is safe for: 146 years. */
    private static final Duration LONGEST_WAIT = Duration.ofNanos(Long.MAX_VALUE / 2);

    /** A query in the lane that asks for no memory reserves this part of the default: it is there because it is small. */
    private static final int SHORT_RESERVATION = 4;

    private AdmissionLimits limits;
    private final Set<Permit> permits = new LinkedHashSet<>();
    private int running;
    private int shortRunning;
    private int paused;
    private int queued;
    private long reservedBytes;
    private @Nullable WaitReason held;

    final Backoffs backoffs = new Backoffs();

    Capacity(AdmissionLimits limits) {
        this.limits = limits;
    }

    boolean isFree(Slots slots) {
        if (held != null || !backoffs.engineMayHavePlace()) {
            return false;
        }
        return slots == Slots.ALL ? underRunningCap() : laneIsFree();
    }

    /** More than cap + lane count among all only after limits were lowered; then the lane gives way. */
    private boolean laneIsFree() {
        return shortRunning < limits.shortLane()
                && running + shortRunning < limits.maxRunning() + 2 * limits.shortLane();
    }

    boolean underRunningCap() {
        // Those left in a lane that was made smaller count here until they are done.
        int leftInLane = Math.max(0, shortRunning - limits.shortLane());
        return running + leftInLane < limits.maxRunning();
    }

    boolean underUserCap(Slots slots, Account user) {
        return slots == Slots.ALL ? user.running < user.limits.user().maxRunning() : user.shortRunning < part(2);
    }

    boolean underGroupCap(Slots slots, Account group) {
        if (slots == Slots.ALL) {
            return group.running < group.limits.maxRunning();
        }
        // Groups leave each other some of the lane.
        return limits.groups().size() == 1 || group.shortRunning < limits.shortLane() - limits.shortLane() / 4;
    }

    /** Whether a statement that nobody knows may try the lane: few of a user, few of a group, and room to leave it. */
    boolean mayProbe(Account user) {
        return mayOverrun() && user.probation < part(4) && user.group.probation < part(2);
    }

    /** A part of the lane, at least one place. */
    private int part(int divisor) {
        return Math.max(1, limits.shortLane() / divisor);
    }

    /** Whether a query that was in the lane for too long may count among all: never more than cap + lane do. */
    boolean mayOverrun() {
        return running < limits.maxRunning() + limits.shortLane();
    }

    boolean mayPause(Account user) {
        return paused < limits.maxPaused() && user.paused < user.limits.user().maxPaused();
    }

    boolean fitsMemory(long bytes, Account group) {
        return fitsMemory(bytes) && bytes <= group.limits.memoryBudgetBytes() - group.reservedBytes;
    }

    boolean fitsMemory(long bytes) {
        return bytes <= limits.memoryBudgetBytes() - reservedBytes;
    }

    /** Whether the global queue holds those that wait and so many more. */
    boolean fitsQueue(int more) {
        return queued + more <= limits.maxQueued();
    }

    /** How long a query may wait, in nanoseconds from 0: what it asks for, at most what is configured. */
    static long allowedWaitNanos(Duration requested, GroupLimits limits) {
        Duration allowed = requested.compareTo(limits.queueTimeout()) < 0 ? requested : limits.queueTimeout();
        if (allowed.isNegative()) {
            return 0;
        }
        return (allowed.compareTo(LONGEST_WAIT) < 0 ? allowed : LONGEST_WAIT).toNanos();
    }

    /** The reservation of a query that asks for none. */
    static long defaultReservation(Slots slots, GroupLimits limits) {
        long whole = limits.memoryPerQueryBytes();
        return slots == Slots.ALL ? whole : Math.max(1, whole / SHORT_RESERVATION);
    }

    /** Part of the whole that a query holds: of the slots or of the memory, whichever is more. */
    double share(long bytes) {
        return Math.max(1.0 / limits.maxRunning(), memoryShare(bytes));
    }

    double memoryShare(long bytes) {
        return (double) bytes / limits.memoryBudgetBytes();
    }

    /** Counts a query where it runs from now on. */
    void enter(Permit.Place place, Permit permit) {
        count(place, permit, 1);
        if (permits.add(permit)) {
            reservedBytes += permit.reservedBytes();
            permit.account.reserved(permit.reservedBytes());
        }
    }

    /** Counts it there no longer. */
    void leave(Permit.Place place, Permit permit) {
        count(place, permit, -1);
    }

    /** Gives its reservation back. */
    void giveBack(Permit permit) {
        if (permits.remove(permit)) {
            reservedBytes -= permit.reservedBytes();
            permit.account.reserved(-permit.reservedBytes());
        }
    }

    private void count(Permit.Place place, Permit permit, int change) {
        switch (place) {
            case ALL -> {
                running += change;
                permit.account.count(change, 0, 0, 0);
            }
            case SHORT -> {
                shortRunning += change;
                permit.account.count(0, change, permit.queryClass() == QueryClass.UNKNOWN ? change : 0, 0);
            }
            case PAUSED, RESUMING -> {
                paused += change;
                permit.account.count(0, 0, 0, change);
            }
            case GONE -> {}
        }
    }

    void queued(Account user, int change) {
        queued += change;
        user.queued(change);
    }

    AdmissionLimits limits() {
        return limits;
    }

    void limits(AdmissionLimits replacement) {
        limits = replacement;
    }

    /** Why nothing is started; null when nothing holds. */
    @Nullable
    WaitReason held() {
        return held;
    }

    void hold(@Nullable WaitReason reason) {
        held = reason;
    }

    Set<Permit> permits() {
        return permits;
    }

    int running() {
        return running;
    }

    int shortRunning() {
        return shortRunning;
    }

    int paused() {
        return paused;
    }

    int queued() {
        return queued;
    }

    long reservedBytes() {
        return reservedBytes;
    }

    boolean isIdle() {
        return permits.isEmpty() && queued == 0;
    }
}
