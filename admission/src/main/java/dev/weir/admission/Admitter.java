package dev.weir.admission;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
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

    private final Ledger ledger;
    final Lane lane;
    private final Pauses pauses;
    final Turns turns;
    private long arrivals;
    boolean draining;

    /** Of the drain under way, or of the next. */
    CompletableFuture<Void> drained = new CompletableFuture<>();

    /** Whether reservations are learned: the engine enforces and measures them. */
    boolean learnMemory;

    Admitter(AdmissionLimits limits, RateLimiter rates, FairAdmissionController controller) {
        this.controller = controller;
        this.rates = rates;
        this.capacity = new Capacity(limits);
        this.accounts = new Accounts(limits);
        this.mainQueue = new FairQueue(capacity);
        this.shortQueue = new FairQueue(capacity);
        this.forecast = new WaitForecast(this);
        this.ledger = new Ledger(capacity, mainQueue);
        this.lane = new Lane(capacity, mainQueue, shortQueue, ledger);
        this.pauses = new Pauses(capacity, ledger);
        this.turns = new Turns(capacity, mainQueue, shortQueue, lane, pauses);
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
        waiter.queryClass = history.classify(request, lane.shortNanos()).queryClass();
        waiter.slots = lane.slotsFor(waiter.queryClass, account, bytes(waiter, Slots.SHORT));
        reserve(waiter);
        return waiter;
    }

    private static long bytes(Waiter waiter, Slots slots) {
        return waiter.request.memoryBytes().orElse(Capacity.defaultReservation(slots, waiter.account.limits));
    }

    /** What it asks for, else what its statement was measured to need, but never more than the default. */
    private void reserve(Waiter waiter) {
        waiter.bytes = bytes(waiter, waiter.slots);
        OptionalLong learned = history.learnedBytes(waiter.request.fingerprint());
        waiter.learnedBytes =
                learnMemory && waiter.request.memoryBytes().isEmpty() && learned.orElse(Long.MAX_VALUE) < waiter.bytes;
        if (waiter.learnedBytes) {
            waiter.bytes = learned.orElseThrow();
        }
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
        Slots free = turns.startsAtOnce(waiter);
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
        if (account.queued == 0 && (turns.canStart(waiter, Slots.ALL) || turns.canStart(waiter, waiter.slots))) {
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

    /** Ends a wait with a refusal, unless it has ended already, and takes the waiter out. */
    void refuse(Waiter waiter, Rejection refusal, Decisions decisions) {
        if (waiter.markRefused(refusal)) {
            decisions.ended.add(waiter);
        }
        withdraw(waiter);
    }

    private void left(Waiter waiter) {
        waiting.remove(waiter);
        capacity.backoffs.remove(waiter);
        capacity.queued(waiter.account, -1);
    }

    /** A newcomer that was not granted: it may have no place in the queue, or no time to wait. */
    private void keepOrRefuse(Waiter waiter, long now, Decisions decisions) {
        Rejection refusal = queueFull(waiter.account, 0);
        if (refusal == null && hasNoTime(waiter, now)) {
            refusal = forecast.queueTimeout(waiter, now);
        }
        if (refusal != null) {
            waiter.markRefused(refusal);
            withdraw(waiter);
        } else if (waiting.earliest() == waiter) {
            decisions.alarmFor = waiter;
        }
    }

    private static boolean hasNoTime(Waiter waiter, long now) {
        return waiter.deadlineNanos - now <= 0;
    }

    /** Gives slots until nobody can have one: first to paused queries that go on, then by turns. */
    void dispatch(long now, Decisions decisions) {
        pauses.resumeWhatCan(now, decisions);
        if (draining) {
            return;
        }
        for (Turns.Turn turn = turns.next(); turn != null; turn = turns.next()) {
            take(turn, now, decisions);
        }
    }

    private void take(Turns.Turn turn, long now, Decisions decisions) {
        Waiter waiter = turn.waiter();
        // A waiter that a cancel has ended meanwhile hands its slot on to the next.
        if (!grant(waiter, turn.slots(), now)) {
            withdraw(waiter);
            return;
        }
        decisions.ended.add(waiter);
        turns.countPasses(waiter.slots);
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
        capacity.backoffs.granted();
        if (slots == Slots.SHORT) {
            lane.enter(permit);
        }
        return true;
    }

    /** Puts other limits in force; what runs stays counted. */
    void limits(AdmissionLimits replacement, Decisions decisions) {
        ledger.limits(replacement, accounts);
        // A waiter that no longer fits even an empty budget would hold the head for ever.
        for (Waiter waiter : List.copyOf(waiting.all())) {
            if (waiter.bytes > waiter.account.limits.memoryMaxPerQueryBytes()) {
                refuse(waiter, forecast.memoryTooLarge(waiter), decisions);
            }
        }
    }

    /** Counts a permit back and corrects its charge to the time it was held. */
    void release(Permit permit, RunPermit.Outcome outcome, long now, Decisions decisions) {
        history.record(permit.request, permit.account.group.name, outcome, permit.activeNanos(now));
        history.recordPeak(permit.request.fingerprint(), permit.peakBytes());
        ledger.endCharge(permit, now);
        free(permit, decisions);
        capacity.backoffs.freed();
        accounts.retireIfIdle(permit.account);
        lane.overrun(now, decisions);
        dispatch(now, decisions);
        forgetDebtsIfIdle();
        decisions.drained = drainedNow();
    }

    private void free(Permit permit, Decisions decisions) {
        pauses.end(permit, decisions);
        lane.leave(permit);
        ledger.move(permit, Permit.Place.GONE);
        capacity.giveBack(permit);
    }

    /**
     * Lets a query wait again that had a permit and could not run.
     *
     * @param backoff more than zero when the engine had no place; else the query ran, with too little memory
     */
    Waiter takeBack(Permit permit, Duration backoff, boolean forDefault, long now, Decisions decisions) {
        Waiter waiter = Waiter.again(permit.waiter, permit, now);
        if (forDefault) {
            waiter.slots = Slots.ALL;
            waiter.bytes = Capacity.defaultReservation(Slots.ALL, waiter.account.limits);
            waiter.learnedBytes = false;
            waiter.deadlineNanos =
                    now + Capacity.allowedWaitNanos(waiter.account.limits.queueTimeout(), waiter.account.limits);
        } else if (waiter.queryClass == QueryClass.UNKNOWN && waiter.slots == Slots.SHORT) {
            // It had the place that was free for a try at once; now it waits with all others.
            waiter.slots = Slots.ALL;
            reserve(waiter);
        }
        ledger.takeBack(waiter, queue(waiter.slots), permit, forDefault, now);
        waiting.add(waiter);
        capacity.queued(waiter.account, 1);
        free(permit, decisions);
        if (forDefault) {
            capacity.backoffs.freed();
        } else {
            capacity.backoffs.add(waiter, backoff, now);
        }
        grantOrRefuse(waiter, now, decisions);
        return waiter;
    }

    /** One that waits again: it has its place however full the queue is, but it may not wait for ever. */
    private void grantOrRefuse(Waiter waiter, long now, Decisions decisions) {
        if (draining) {
            refuse(waiter, forecast.draining(), decisions);
        } else if (waiter.bytes > waiter.account.limits.memoryMaxPerQueryBytes()) {
            refuse(waiter, forecast.memoryTooLarge(waiter), decisions);
        }
        lane.overrun(now, decisions);
        dispatch(now, decisions);
        if (waiter.queue != null && hasNoTime(waiter, now)) {
            refuse(waiter, forecast.queueTimeout(waiter, now), decisions);
            dispatch(now, decisions);
        }
        if (waiting.earliest() == waiter) {
            decisions.alarmFor = waiter;
        }
        decisions.drained = drainedNow();
    }

    /** The drain that is complete with this change; null when none is. */
    @Nullable
    CompletableFuture<Void> drainedNow() {
        return draining && capacity.isIdle() ? drained : null;
    }

    private void forgetDebtsIfIdle() {
        if (capacity.isIdle()) {
            mainQueue.forgetDebts();
            shortQueue.forgetDebts();
        }
    }

    /** Lends a slot; false when that may not be. */
    boolean pause(Permit permit, long now, Decisions decisions) {
        if (!pauses.pause(permit, now)) {
            return false;
        }
        lane.leave(permit);
        lane.overrun(now, decisions);
        dispatch(now, decisions);
        return true;
    }

    /** Asks for a slot again; null when it has one. */
    @Nullable
    CompletableFuture<Void> resume(Permit permit, long now, Decisions decisions) {
        if (permit.place() == Permit.Place.PAUSED) {
            pauses.ask(permit);
            dispatch(now, decisions);
            // Taken at once: nobody has the stage yet, so nobody has to be told.
            decisions.resumed.remove(permit);
        }
        return pauses.stage(permit);
    }
}
