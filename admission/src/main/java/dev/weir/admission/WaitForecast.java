package dev.weir.admission;

import java.time.Duration;
import java.util.Optional;

/**
 * Explains waits: position, the limit that holds the query, how long it will still take.
 *
 * <p>A prediction adds the time until the next permit is closed, by the run times expected of those that run, to the
 * expected run times of those ahead, divided by the number that run at once. Costs O(users + permits + own place in the
 * user's queue). Guarded by the controller's lock.
 */
final class WaitForecast {

    /** A client that tries again sooner only adds load. */
    private static final Duration LEAST_RETRY = Duration.ofSeconds(1);

    /** Predictions further ahead are too vague to keep a client away for longer. */
    private static final Duration MOST_RETRY = Duration.ofSeconds(60);

    /** Another replica answers at once, a restart takes seconds. */
    private static final Duration DRAINING_RETRY = Duration.ofSeconds(5);

    private final Capacity capacity;
    private final FairQueue queue;
    private final RunTimeHistory history;

    WaitForecast(Capacity capacity, FairQueue queue, RunTimeHistory history) {
        this.capacity = capacity;
        this.queue = queue;
        this.history = history;
    }

    WaitInfo of(Waiter waiter, UserQueue user, long now) {
        Ahead ahead = ahead(waiter, user);
        WaitReason reason = reason(waiter, user);
        Optional<Duration> predicted = history.isEmpty()
                ? Optional.empty()
                : Optional.of(Duration.ofNanos(Math.round(predictedNanos(ahead, user, reason, now))));
        Duration waited = Duration.ofNanos(Math.max(0, now - waiter.arrivedNanos));
        return new WaitInfo(ahead.count + 1, reason, waited, predicted);
    }

    Rejection queueTimeout(Waiter waiter, UserQueue user, long now) {
        WaitInfo wait = of(waiter, user, now);
        Duration allowed = Duration.ofNanos(waiter.deadlineNanos - waiter.arrivedNanos);
        return new Rejection.QueueTimeout(
                wait.reason(),
                allowed,
                wait.position(),
                withinBounds(wait.predictedWait().orElse(LEAST_RETRY)));
    }

    /** The wait is that of a whole queue; O(1), since refusals come in storms. */
    Rejection queueFull(Rejection.Scope scope, String user) {
        UserQueue known = queue.find(user);
        if (scope == Rejection.Scope.USER) {
            int running = known == null ? 0 : known.running;
            int queued = known == null ? 0 : known.queued();
            Duration retryAfter = turnover(queued + 1, running, history.expectedNanos(user));
            return new Rejection.QueueFull(
                    scope, user, capacity.limits().group("default").user().maxQueued(), retryAfter);
        }
        Duration retryAfter = turnover(capacity.queued() + 1, capacity.running(), history.expectedNanos());
        return new Rejection.QueueFull(scope, "", capacity.limits().maxQueued(), retryAfter);
    }

    Rejection memoryTooLarge(long bytes) {
        return new Rejection.MemoryTooLarge(
                bytes, capacity.limits().group("default").memoryMaxPerQueryBytes());
    }

    Rejection draining() {
        return new Rejection.Draining(DRAINING_RETRY);
    }

    private static Duration turnover(int queries, int atOnce, double nanosEach) {
        return withinBounds(Duration.ofNanos(Math.round(queries * nanosEach / Math.max(1, atOnce))));
    }

    private static Duration withinBounds(Duration wait) {
        if (wait.compareTo(LEAST_RETRY) < 0) {
            return LEAST_RETRY;
        }
        return wait.compareTo(MOST_RETRY) > 0 ? MOST_RETRY : wait;
    }

    /** The limit that holds it; of several, the one nearest to the user. */
    private WaitReason reason(Waiter waiter, UserQueue user) {
        if (!capacity.underUserCap(user)) {
            return WaitReason.USER_MAX_RUNNING;
        }
        if (!capacity.underRunningCap()) {
            return WaitReason.MAX_RUNNING;
        }
        return capacity.fitsMemory(waiter.bytes) ? WaitReason.TURN : WaitReason.MEMORY;
    }

    /**
     * Queries ahead.
     *
     * @param count of all users
     * @param nanos what they are expected to take together
     * @param ownNanos the part of the user's own
     */
    private record Ahead(int count, double nanos, double ownNanos) {}

    private Ahead ahead(Waiter waiter, UserQueue user) {
        int own = 0;
        double ownNanos = 0;
        double ownCharge = 0;
        for (Waiter other = waiter.ahead; other != null; other = other.ahead) {
            own++;
            ownNanos += other.expectedNanos;
            ownCharge += capacity.share(other.bytes) * other.expectedNanos;
        }
        double start = queue.nextStart(user) + ownCharge;
        int count = own;
        double nanos = ownNanos;
        for (UserQueue other : queue.users()) {
            if (other != user) {
                int before = startingBefore(start, waiter.sequence, other);
                count += before;
                nanos += before * other.meanExpectedNanos();
            }
        }
        return new Ahead(count, nanos, ownNanos);
    }

    /** How many of another user's waiters start before a moment of virtual time, taking each for the user's mean. */
    private int startingBefore(double start, long sequence, UserQueue other) {
        Waiter head = other.head();
        if (head == null) {
            return 0;
        }
        double lead = start - queue.nextStart(other);
        if (lead < 0 || (lead == 0 && head.sequence > sequence)) {
            return 0;
        }
        double charge = capacity.share(head.bytes) * other.meanExpectedNanos();
        double before = charge > 0 ? Math.max(1, Math.ceil(lead / charge)) : other.queued();
        return (int) Math.min(before, other.queued());
    }

    private double predictedNanos(Ahead ahead, UserQueue user, WaitReason reason, long now) {
        double releasesPerNano = 0;
        double ownReleasesPerNano = 0;
        for (Permit permit : capacity.permits()) {
            // Whoever has overrun its expectation is as likely as not to take as long again.
            double remaining = Math.max(1, Math.max(permit.expectedNanos, now - permit.grantedNanos));
            releasesPerNano += 1 / remaining;
            ownReleasesPerNano += permit.user == user ? 1 / remaining : 0;
        }
        int atOnce = Math.max(1, Math.min(capacity.running(), capacity.limits().maxRunning()));
        double byTurn = ahead.nanos / atOnce;
        boolean heldByOthers = !capacity.underRunningCap() || reason == WaitReason.MEMORY || reason == WaitReason.TURN;
        if (heldByOthers && releasesPerNano > 0) {
            byTurn += 1 / releasesPerNano;
        }
        if (reason != WaitReason.USER_MAX_RUNNING || ownReleasesPerNano == 0) {
            return byTurn;
        }
        int ownAtOnce = Math.max(
                1,
                Math.min(user.running, capacity.limits().group("default").user().maxRunning()));
        return Math.max(byTurn, 1 / ownReleasesPerNano + ahead.ownNanos / ownAtOnce);
    }
}
