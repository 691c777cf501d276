package dev.weir.admission;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * Explains waits: position, the limit that holds the query, how long it will still take.
 *
 * <p>A prediction adds the time until the next permit is closed, by the run times expected of those that run, to the
 * expected run times of those ahead, divided by the number that run at once. Costs O(users of the group + groups +
 * permits + own place in the user's queue). Guarded by the controller's lock.
 */
final class WaitForecast {

    /** A client that tries again sooner only adds load. */
    private static final Duration LEAST_RETRY = Duration.ofSeconds(1);

    /** Predictions further ahead are too vague to keep a client away for longer. */
    private static final Duration MOST_RETRY = Duration.ofSeconds(60);

    /** Another replica answers at once, a restart takes seconds. */
    private static final Duration DRAINING_RETRY = Duration.ofSeconds(5);

    private final Admitter admitter;
    private final Capacity capacity;
    private final RunTimeHistory history;

    WaitForecast(Admitter admitter) {
        this.admitter = admitter;
        this.capacity = admitter.capacity;
        this.history = admitter.history;
    }

    WaitInfo of(Waiter waiter, long now) {
        UserQueue user = Objects.requireNonNull(waiter.queue, "a waiter that is queued");
        Ahead ahead = ahead(waiter, user);
        WaitReason reason = reason(waiter);
        Optional<Duration> predicted = history.isEmpty()
                ? Optional.empty()
                : Optional.of(Duration.ofNanos(Math.max(
                        capacity.backoffs.heldNanos(waiter, now),
                        Math.round(predictedNanos(ahead, waiter, reason, now)))));
        Duration waited = Duration.ofNanos(Math.max(0, now - waiter.arrivedNanos));
        return new WaitInfo(ahead.count + 1, reason, waited, predicted);
    }

    Rejection queueTimeout(Waiter waiter, long now) {
        WaitInfo wait = of(waiter, now);
        Duration allowed = Duration.ofNanos(waiter.deadlineNanos - waiter.arrivedNanos);
        return new Rejection.QueueTimeout(
                wait.reason(),
                allowed,
                wait.position(),
                withinBounds(wait.predictedWait().orElse(LEAST_RETRY)),
                wait.predictedWait());
    }

    /** The wait is that of a whole queue; O(1), since refusals come in storms. */
    Rejection queueFull(Rejection.Scope scope, Account account) {
        if (scope == Rejection.Scope.GLOBAL) {
            Duration retryAfter = turnover(capacity.queued() + 1, capacity.running(), history.expectedNanos());
            return new Rejection.QueueFull(scope, "", capacity.limits().maxQueued(), retryAfter);
        }
        if (scope == Rejection.Scope.GROUP) {
            Account group = account.group;
            Duration retryAfter = turnover(group.queued + 1, group.running, history.expectedNanos(group.name));
            return new Rejection.QueueFull(scope, group.name, group.limits.maxQueued(), retryAfter);
        }
        double each = history.expectedNanos(account.name, account.group.name);
        return new Rejection.QueueFull(
                scope,
                account.name,
                account.limits.user().maxQueued(),
                turnover(account.queued + 1, account.running, each),
                nameOf(account, "user.max-queued"));
    }

    private String nameOf(Account account, String property) {
        return capacity.limits().nameOf(account.group.name, property);
    }

    Rejection memoryTooLarge(Waiter waiter) {
        return new Rejection.MemoryTooLarge(
                waiter.bytes,
                waiter.account.limits.memoryMaxPerQueryBytes(),
                nameOf(waiter.account, "memory.max-per-query"));
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
    WaitReason reason(Waiter waiter) {
        Account account = waiter.account;
        if (waiter.backsOff) {
            return WaitReason.ENGINE;
        }
        if (!capacity.underUserCap(Slots.ALL, account)) {
            return WaitReason.USER_MAX_RUNNING;
        }
        if (!capacity.underGroupCap(Slots.ALL, account.group)
                && account.limits.maxRunning() < capacity.limits().maxRunning()) {
            return WaitReason.GROUP_MAX_RUNNING;
        }
        WaitReason held = capacity.held();
        if (held != null) {
            return held;
        }
        if (!capacity.underRunningCap()) {
            return WaitReason.MAX_RUNNING;
        }
        if (!capacity.backoffs.engineMayHavePlace()) {
            return WaitReason.ENGINE;
        }
        if (!capacity.fitsMemory(waiter.bytes)) {
            return WaitReason.MEMORY;
        }
        return capacity.fitsMemory(waiter.bytes, account.group) ? WaitReason.TURN : WaitReason.GROUP_MEMORY;
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
        double charge = 0;
        for (Waiter other = user.before(waiter); other != null; other = user.before(other)) {
            own++;
            ownNanos += other.expectedNanos;
            charge += capacity.share(other.bytes) * other.expectedNanos;
        }
        int count = own;
        double nanos = ownNanos;
        double start = user.group.nextStart(user) + charge;
        for (UserQueue other : user.group.users()) {
            if (other != user) {
                int before = startingBefore(start, waiter.sequence, other);
                count += before;
                nanos += before * other.meanExpectedNanos();
                charge += before * charge(other);
            }
        }
        FairQueue queue = admitter.queue(waiter.slots);
        double groupStart = queue.nextStart(user.group) + charge / user.group.account.limits.weight();
        for (GroupQueue group : queue.groups()) {
            if (group != user.group && group.inTurn) {
                Ahead others = startingBefore(groupStart, queue.nextStart(group), group);
                count += others.count;
                nanos += others.nanos;
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
        double lead = start - other.group.nextStart(other);
        if (lead < 0 || (lead == 0 && head.sequence > sequence)) {
            return 0;
        }
        double charge = charge(other);
        double before = charge > 0 ? Math.max(1, Math.ceil(lead / charge)) : other.queued();
        return (int) Math.min(before, other.queued());
    }

    private double charge(UserQueue user) {
        Waiter head = user.head();
        return head == null ? 0 : capacity.share(head.bytes) * user.meanExpectedNanos();
    }

    /** The same for another group as a whole. */
    private Ahead startingBefore(double start, double groupStart, GroupQueue group) {
        int queued = 0;
        double nanos = 0;
        double charge = 0;
        for (UserQueue user : group.turns()) {
            queued += user.queued();
            nanos += user.queued() * user.meanExpectedNanos();
            charge += user.queued() * charge(user);
        }
        double lead = (start - groupStart) * group.account.limits.weight();
        if (lead < 0 || queued == 0) {
            return new Ahead(0, 0, 0);
        }
        double before = charge > 0 ? Math.min(queued, Math.max(1, Math.ceil(lead / (charge / queued)))) : queued;
        return new Ahead((int) before, nanos * before / queued, 0);
    }

    private double predictedNanos(Ahead ahead, Waiter waiter, WaitReason reason, long now) {
        Account account = waiter.account;
        double releasesPerNano = 0;
        double ownReleasesPerNano = 0;
        for (Permit permit : capacity.permits()) {
            if (permit.place() == Permit.Place.ALL) {
                // Whoever has overrun its expectation is as likely as not to take as long again.
                double remaining = Math.max(1, Math.max(permit.expectedNanos, (double) (now - permit.grantedNanos)));
                releasesPerNano += 1 / remaining;
                ownReleasesPerNano += permit.account == account ? 1 / remaining : 0;
            }
        }
        int most = capacity.limits().maxRunning()
                + (waiter.slots == Slots.SHORT ? capacity.limits().shortLane() : 0);
        int running = capacity.running() + (waiter.slots == Slots.SHORT ? capacity.shortRunning() : 0);
        double byTurn = ahead.nanos / Math.max(1, Math.min(running, most));
        boolean heldByOthers = !capacity.underRunningCap() || reason == WaitReason.MEMORY || reason == WaitReason.TURN;
        if (waiter.slots == Slots.SHORT) {
            // The lane turns over by itself, at the pace of its own queries.
            byTurn += waiter.expectedNanos / Math.max(1, capacity.shortRunning());
        } else if (heldByOthers && releasesPerNano > 0) {
            byTurn += 1 / releasesPerNano;
        }
        if (reason != WaitReason.USER_MAX_RUNNING || ownReleasesPerNano == 0 || waiter.slots == Slots.SHORT) {
            return byTurn;
        }
        int ownAtOnce =
                Math.max(1, Math.min(account.running, account.limits.user().maxRunning()));
        return Math.max(byTurn, 1 / ownReleasesPerNano + ahead.ownNanos / ownAtOnce);
    }
}
