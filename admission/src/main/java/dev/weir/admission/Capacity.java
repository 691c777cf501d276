package dev.weir.admission;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * What is in use, and the limits it is held against: one predicate per limit. Limits may drop under what is in use;
 * then the predicates say no until enough was given back.
 *
 * <p>Guarded by the controller's lock.
 */
final class Capacity {

    /** Longest wait that the clock's arithmetic is safe for: 146 years. */
    private static final Duration LONGEST_WAIT = Duration.ofNanos(Long.MAX_VALUE / 2);

    private AdmissionLimits limits;
    private final Set<Permit> permits = new LinkedHashSet<>();
    private int queued;
    private long reservedBytes;

    Capacity(AdmissionLimits limits) {
        this.limits = limits;
    }

    boolean underRunningCap() {
        return permits.size() < limits.maxRunning();
    }

    boolean underUserCap(UserQueue user) {
        return user.running < limits.group("default").user().maxRunning();
    }

    boolean fitsMemory(long bytes) {
        return bytes <= limits.memoryBudgetBytes() - reservedBytes;
    }

    /** Whether the global queue holds those that wait and so many more. */
    boolean fitsQueue(int more) {
        return queued + more <= limits.maxQueued();
    }

    /** Whether a user's queue may be this long. */
    boolean fitsUserQueue(int length) {
        return length <= limits.group("default").user().maxQueued();
    }

    boolean mayReserve(long bytes) {
        return bytes <= limits.group("default").memoryMaxPerQueryBytes();
    }

    /** How long a query may wait, in nanoseconds from 0: what it asks for, at most what is configured. */
    long allowedWaitNanos(Duration requested) {
        Duration allowed = requested.compareTo(limits.group("default").queueTimeout()) < 0
                ? requested
                : limits.group("default").queueTimeout();
        if (allowed.isNegative()) {
            return 0;
        }
        return (allowed.compareTo(LONGEST_WAIT) < 0 ? allowed : LONGEST_WAIT).toNanos();
    }

    /** Part of the whole that a query holds: of the slots or of the memory, whichever is more. */
    double share(long bytes) {
        return Math.max(1.0 / limits.maxRunning(), (double) bytes / limits.memoryBudgetBytes());
    }

    void take(Permit permit) {
        permits.add(permit);
        reservedBytes += permit.reservedBytes();
        permit.user.running++;
        permit.user.reservedBytes += permit.reservedBytes();
    }

    void giveBack(Permit permit) {
        permits.remove(permit);
        reservedBytes -= permit.reservedBytes();
        permit.user.running--;
        permit.user.reservedBytes -= permit.reservedBytes();
    }

    void queued(int change) {
        queued += change;
    }

    AdmissionLimits limits() {
        return limits;
    }

    void limits(AdmissionLimits replacement) {
        limits = replacement;
    }

    Set<Permit> permits() {
        return permits;
    }

    int running() {
        return permits.size();
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
