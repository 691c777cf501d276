package dev.weir.admission;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Takes in, grants, pauses and gives back: every change of state, made whole before it returns. Invariant between two
 * calls: no waiter could run, no paused query that wants its slot back could have it.
 *
 * <p>Not thread-safe; guarded by the controller's lock. Calls nothing foreign; what others are to be told is collected in
 * {@link Decisions}.
 */
final class Admitter {

    private final FairAdmissionController controller;
    final Capacity capacity;
    final Accounts accounts;
    final RunTimeHistory history = new RunTimeHistory();
    final Waiting waiting = new Waiting();

    /** Queries that wait for a slot of all, and short ones that may take one of the lane, too. */
    final FairQueue mainQueue;

    final FairQueue shortQueue;
    final RateLimiter rates;
    final WaitForecast forecast;

    /** Paused queries that want their slot back, in order. */
    private final Deque<Permit> resuming = new ArrayDeque<>();

    /** Queries in the lane, the one granted first at the beginning. */
    private final Set<Permit> inLane = new LinkedHashSet<>();

    /** Queries that should have left the lane and had to keep their place, in order. */
    private final Set<Permit> overdue = new LinkedHashSet<>();

    private long arrivals;
    boolean draining;

    Admitter(AdmissionLimits limits, RateLimiter rates, FairAdmissionController controller) {
        this.controller = controller;
        this.rates = rates;
        this.capacity = new Capacity(limits);
        this.accounts = new Accounts(limits);
        this.mainQueue = new FairQueue(capacity);
        this.shortQueue = new FairQueue(capacity);
        this.forecast = new WaitForecast(this);
    }

    FairQueue queue(Slots slots) {
        return slots == Slots.ALL ? mainQueue : shortQueue;
    }

    /** A newcomer, with everything that is known about it. */
    Waiter waiter(AdmissionRequest request, long now) {
        String group = accounts.groupOf(request.groups());
        Account account = accounts.user(request.user(), group);
        Waiter waiter = new Waiter(request, account, controller);
        waiter.sequence = arrivals;
        waiter.arrivedNanos = now;
        waiter.deadlineNanos = now + Capacity.allowedWaitNanos(request.queueTimeout(), account.limits);
        waiter.expectedNanos = history.expectedNanos(request.user(), account.group.name, request.fingerprint());
        waiter.queryClass = history.classify(request, shortNanos()).queryClass();
        waiter.slots = slotsFor(waiter, account);
        waiter.bytes = request.memoryBytes().orElse(Capacity.defaultReservation(waiter.slots, account.limits));
        return waiter;
    }

    private Slots slotsFor(Waiter waiter, Account account) {
        if (capacity.limits().shortLane() == 0 || waiter.queryClass == QueryClass.HEAVY) {
            return Slots.ALL;
        }
        if (waiter.queryClass == QueryClass.SHORT) {
            return Slots.SHORT;
        }
        // Nothing is known: it may try the lane if it can at once, else it waits with all others.
        boolean probes = capacity.mayProbe(account)
                && capacity.isFree(Slots.SHORT)
                && capacity.underUserCap(Slots.SHORT, account)
                && capacity.underGroupCap(Slots.SHORT, account.group)
                && shortQueue.nobodyInTurn();
        return probes ? Slots.SHORT : Slots.ALL;
    }

    long shortNanos() {
        return capacity.limits().shortQuery().toNanos();
    }

    /** Grants, queues or refuses a newcomer. */
    void arrive(Waiter waiter, Decisions decisions) {
        long now = waiter.arrivedNanos;
        arrivals++;
        Rejection refusal = refuseAtOnce(waiter, false);
        if (refusal != null) {
            waiter.markRefused(refusal);
            accounts.retireIfIdle(waiter.account);
            return;
        }
        Slots free = startsAtOnce(waiter);
        if (free != null) {
            grant(waiter, free, now);
            return;
        }
        enqueue(waiter);
        dispatch(now, decisions);
        if (waiter.queue != null) {
            keepOrRefuse(waiter, now, decisions);
        }
    }

    /** A refusal that needs no look at the queue; so a storm of them is cheap. */
    @Nullable
    Rejection refuseAtOnce(Waiter waiter, boolean look) {
        if (draining) {
            return forecast.draining();
        }
        Account account = waiter.account;
        if (waiter.bytes > account.limits.memoryMaxPerQueryBytes()) {
            return forecast.memoryTooLarge(waiter);
        }
        Rejection tooFast = rates.take(account.name, account.group.name, capacity.limits(), look);
        if (tooFast != null) {
            return tooFast;
        }
        if (account.queued == 0 && (canStart(waiter, Slots.ALL) || canStart(waiter, waiter.slots))) {
            return null;
        }
        return queueFull(account, 1);
    }

    private @Nullable Rejection queueFull(Account account, int more) {
        if (account.queued + more > account.limits.user().maxQueued()) {
            return forecast.queueFull(Rejection.Scope.USER, account);
        }
        if (account.group.queued + more > account.limits.maxQueued()
                && account.limits.maxQueued() < capacity.limits().maxQueued()) {
            return forecast.queueFull(Rejection.Scope.GROUP, account);
        }
        return capacity.fitsQueue(more) ? null : forecast.queueFull(Rejection.Scope.GLOBAL, account);
    }

    /** The slots a newcomer can have without a place in the queue; null when it has to queue. */
    @Nullable
    Slots startsAtOnce(Waiter waiter) {
        if (waiter.slots == Slots.SHORT
                && shortQueue.nobodyInTurn()
                && canStart(waiter, Slots.SHORT)
                && !holdsMemory()) {
            return Slots.SHORT;
        }
        boolean alone = mainQueue.nobodyInTurn() && (waiter.slots == Slots.ALL || shortQueue.nobodyInTurn());
        return alone && resuming.isEmpty() && canStart(waiter, Slots.ALL) ? Slots.ALL : null;
    }

    /** Whether nothing but somebody's earlier turn keeps a query from one of these slots. */
    private boolean canStart(Waiter waiter, Slots slots) {
        return capacity.isFree(slots)
                && capacity.underUserCap(slots, waiter.account)
                && capacity.underGroupCap(slots, waiter.account.group)
                && capacity.fitsMemory(waiter.bytes, waiter.account.group);
    }

    /** Whether a query in the main queue was passed over for its memory, so that the lane may not simply go on. */
    private boolean holdsMemory() {
        return !mainQueue.nobodyInTurn() && capacity.isFree(Slots.ALL);
    }

    void enqueue(Waiter waiter) {
        FairQueue queue = queue(waiter.slots);
        queue.enqueue(waiter, queue.userFor(waiter.account));
        waiting.add(waiter);
        capacity.queued(waiter.account, 1);
    }

    /** Takes a waiter out that was not granted; nothing when it has left already. */
    void withdraw(Waiter waiter) {
        UserQueue user = waiter.queue;
        if (user == null) {
            return;
        }
        queue(waiter.slots).withdraw(waiter, user);
        left(waiter);
        accounts.retireIfIdle(waiter.account);
        forgetDebtsIfIdle();
    }

    private void left(Waiter waiter) {
        waiting.remove(waiter);
        capacity.queued(waiter.account, -1);
    }

    /** A newcomer that was not granted: it may have no place in the queue, or no time to wait. */
    private void keepOrRefuse(Waiter waiter, long now, Decisions decisions) {
        Rejection refusal = queueFull(waiter.account, 0);
        if (refusal == null && waiter.deadlineNanos == now) {
            refusal = forecast.queueTimeout(waiter, now);
        }
        if (refusal != null) {
            waiter.markRefused(refusal);
            withdraw(waiter);
        } else if (waiting.earliest() == waiter) {
            decisions.alarmFor = waiter;
        }
    }

    /** Gives slots until nobody can have one: first to paused queries that go on, then by turns. */
    void dispatch(long now, Decisions decisions) {
        resumeWhatCan(now, decisions);
        if (draining) {
            return;
        }
        boolean more = true;
        while (more) {
            more = grantNext(mainQueue, Slots.ALL, now, decisions);
            if (!more && !mainQueue.isHolding()) {
                more = grantNext(shortQueue, Slots.SHORT, now, decisions)
                        || grantNext(shortQueue, Slots.ALL, now, decisions);
                if (more) {
                    mainQueue.countPasses();
                }
            }
        }
    }

    /** Grants one; false when none of this queue can have such a slot. */
    private boolean grantNext(FairQueue queue, Slots slots, long now, Decisions decisions) {
        Waiter waiter = queue.next(slots);
        if (waiter == null) {
            return false;
        }
        // A waiter that a cancel has ended meanwhile hands its slot on to the next.
        if (grant(waiter, slots, now)) {
            queue.countPasses();
            decisions.ended.add(waiter);
        } else {
            withdraw(waiter);
        }
        return true;
    }

    private boolean grant(Waiter waiter, Slots slots, long now) {
        FairQueue queue = queue(waiter.slots);
        waiter.expectedNanos =
                history.expectedNanos(waiter.request.user(), waiter.account.group.name, waiter.request.fingerprint());
        Permit permit = new Permit(waiter, slots, queue, now, controller);
        if (!waiter.markGranted(permit)) {
            return false;
        }
        boolean waited = waiter.queue != null;
        permit.chargedShare = capacity.share(waiter.bytes);
        permit.chargedAhead = permit.chargedShare * permit.expectedNanos;
        queue.grant(
                waiter,
                waited ? Objects.requireNonNull(waiter.queue) : queue.userFor(waiter.account),
                permit.chargedAhead);
        if (waited) {
            left(waiter);
        }
        capacity.enter(permit.place(), permit);
        if (slots == Slots.SHORT) {
            inLane.add(permit);
        }
        return true;
    }

    /** Puts other limits in force; what runs stays counted. */
    void limits(AdmissionLimits replacement, Decisions decisions) {
        List<UserQueue> atCap = new ArrayList<>();
        for (GroupQueue group : mainQueue.groups()) {
            for (UserQueue user : group.turns()) {
                if (!capacity.underUserCap(Slots.ALL, user.account)) {
                    atCap.add(user);
                }
            }
        }
        capacity.limits(replacement);
        accounts.limits(replacement);
        atCap.stream()
                .filter(user -> capacity.underUserCap(Slots.ALL, user.account))
                .forEach(user -> mainQueue.capLifted(user, true, false));
        // A waiter that no longer fits even an empty budget would hold the head for ever.
        for (Waiter waiter : List.copyOf(waiting.all())) {
            if (waiter.bytes > waiter.account.limits.memoryMaxPerQueryBytes()) {
                if (waiter.markRefused(forecast.memoryTooLarge(waiter))) {
                    decisions.ended.add(waiter);
                }
                withdraw(waiter);
            }
        }
    }

    /** Counts a permit back and corrects its charge to the time it was held. */
    void release(Permit permit, RunPermit.Outcome outcome, long now, Decisions decisions) {
        history.record(permit.request, permit.account.group.name, outcome, permit.activeNanos(now));
        endCharge(permit, now);
        if (permit.place() == Permit.Place.RESUMING) {
            resuming.remove(permit);
            decisions.notResumed = permit.resumed;
        }
        move(permit, Permit.Place.GONE);
        capacity.giveBack(permit);
        accounts.retireIfIdle(permit.account);
        overrun(now, decisions);
        dispatch(now, decisions);
        forgetDebtsIfIdle();
        decisions.drained = draining && capacity.isIdle();
    }

    private void forgetDebtsIfIdle() {
        if (capacity.isIdle()) {
            mainQueue.forgetDebts();
            shortQueue.forgetDebts();
        }
    }

    /** Counts a permit elsewhere; whoever stood at a cap because of it starts afresh. */
    private void move(Permit permit, Permit.Place to) {
        boolean userAtCap = !capacity.underUserCap(Slots.ALL, permit.account);
        boolean groupAtCap = !capacity.underGroupCap(Slots.ALL, permit.account.group);
        capacity.leave(permit.place(), permit);
        permit.place(to);
        if (to != Permit.Place.GONE) {
            capacity.enter(to, permit);
        }
        inLane.remove(permit);
        overdue.remove(permit);
        UserQueue user = mainQueue.find(permit.account);
        boolean userLifted = userAtCap && capacity.underUserCap(Slots.ALL, permit.account);
        boolean groupLifted = groupAtCap && capacity.underGroupCap(Slots.ALL, permit.account.group);
        if (user != null && (userLifted || groupLifted)) {
            mainQueue.capLifted(user, userLifted, groupLifted);
        }
    }

    private void beginCharge(Permit permit, double share, double expectedNanos, long now) {
        permit.chargedBy = mainQueue;
        permit.chargedSince = now;
        permit.chargedShare = share;
        permit.chargedAhead = share * expectedNanos;
        mainQueue.beginCharge(mainQueue.userFor(permit.account), permit.chargedAhead);
    }

    private static void endCharge(Permit permit, long now) {
        UserQueue user = permit.chargedBy.find(permit.account);
        double cost = permit.chargedShare * Math.max(0, now - permit.chargedSince);
        permit.chargedBy.endCharge(Objects.requireNonNull(user, "charged"), cost - permit.chargedAhead);
    }

    /** Lets queries that took too long for the lane count among all, as far as the allowance goes. */
    void overrun(long now, Decisions decisions) {
        for (Permit permit = first(inLane); permit != null && overran(permit, now); permit = first(inLane)) {
            inLane.remove(permit);
            overdue.add(permit);
        }
        for (Permit permit = first(overdue); permit != null && capacity.mayOverrun(); permit = first(overdue)) {
            endCharge(permit, now);
            move(permit, Permit.Place.ALL);
            // As likely as not it takes as long again.
            beginCharge(permit, capacity.share(permit.reservedBytes()), (double) permit.activeNanos(now), now);
            decisions.overran.add(permit);
        }
    }

    private boolean overran(Permit permit, long now) {
        return now - permit.grantedNanos >= shortNanos();
    }

    private static @Nullable Permit first(Set<Permit> permits) {
        return permits.isEmpty() ? null : permits.iterator().next();
    }

    /** When the next query overruns; null when none is in the lane. */
    @Nullable
    Long nextOverrun() {
        Permit permit = first(inLane);
        return permit == null ? null : permit.grantedNanos + shortNanos();
    }

    /** Lends a slot; false when that may not be. */
    boolean pause(Permit permit, long now, Decisions decisions) {
        boolean running = permit.place() == Permit.Place.ALL || permit.place() == Permit.Place.SHORT;
        if (!running || !capacity.mayPause(permit.account)) {
            return false;
        }
        endCharge(permit, now);
        permit.pausedSince = now;
        move(permit, Permit.Place.PAUSED);
        beginCharge(permit, capacity.memoryShare(permit.reservedBytes()), 0, now);
        overrun(now, decisions);
        dispatch(now, decisions);
        return true;
    }

    /** Asks for a slot again; null when it has one. */
    @Nullable
    CompletableFuture<Void> resume(Permit permit, long now, Decisions decisions) {
        if (permit.place() == Permit.Place.GONE) {
            return CompletableFuture.failedFuture(new CancellationException("the query has ended"));
        }
        if (permit.place() == Permit.Place.PAUSED) {
            CompletableFuture<Void> stage = new CompletableFuture<>();
            permit.resumed = stage;
            permit.place(Permit.Place.RESUMING);
            resuming.add(permit);
            dispatch(now, decisions);
            // Taken at once: nobody has the stage yet, so nobody has to be told.
            return decisions.resumed.remove(permit) ? null : stage;
        }
        return permit.place() == Permit.Place.RESUMING ? permit.resumed : null;
    }

    private void resumeWhatCan(long now, Decisions decisions) {
        for (var waiters = resuming.iterator(); waiters.hasNext() && capacity.underRunningCap(); ) {
            Permit permit = waiters.next();
            if (capacity.underUserCap(Slots.ALL, permit.account)
                    && capacity.underGroupCap(Slots.ALL, permit.account.group)) {
                waiters.remove();
                endCharge(permit, now);
                permit.pausedNanos += now - permit.pausedSince;
                move(permit, Permit.Place.ALL);
                beginCharge(permit, capacity.share(permit.reservedBytes()), 0, now);
                decisions.resumed.add(permit);
            }
        }
    }
}
