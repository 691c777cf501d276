package dev.weir.admission;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The controller: one lock, under which every change of state is made whole. Invariant whenever the lock is free: no
 * waiter could run; what could was granted before. So a newcomer that finds a slot free takes it from nobody.
 *
 * <p>Under the lock nothing foreign is called but the clock. What a change means to others is collected in
 * {@link Decisions} and told after unlock. Called by fronts' threads, whoever closes permits, and the alarm.
 */
final class FairAdmissionController implements AdmissionController {

    /** Waiters ended per hold of the lock when many end at once, so that others get in between. */
    private static final int BATCH = 256;

    private final ReentrantLock lock = new ReentrantLock();
    private final NanoClock clock;
    private final Callbacks callbacks;
    private final QueueAlarm alarm;
    private final CompletableFuture<Void> drained = new CompletableFuture<>();

    @GuardedBy("lock")
    private final Capacity capacity;

    @GuardedBy("lock")
    private final FairQueue queue;

    @GuardedBy("lock")
    private final RunTimeHistory history = new RunTimeHistory();

    @GuardedBy("lock")
    private final WaitForecast forecast;

    @GuardedBy("lock")
    private long arrivals;

    @GuardedBy("lock")
    private boolean draining;

    FairAdmissionController(AdmissionLimits limits, NanoClock clock, Scheduler scheduler, Callbacks callbacks) {
        this.clock = clock;
        this.callbacks = callbacks;
        this.alarm = new QueueAlarm(clock, scheduler, this::expireWaiters);
        this.capacity = new Capacity(limits);
        this.queue = new FairQueue(capacity);
        this.forecast = new WaitForecast(capacity, queue, history);
    }

    /** What was decided under the lock, to be told after it. */
    private static final class Decisions {

        final List<Waiter> ended = new ArrayList<>(1);

        @Nullable
        Waiter alarmFor;

        boolean drained;
    }

    @Override
    public Admission admit(AdmissionRequest request) {
        Waiter waiter = new Waiter(request, this);
        Decisions decisions = new Decisions();
        boolean queued;
        lock.lock();
        try {
            arrive(waiter, decisions);
            queued = waiter.queue != null;
        } finally {
            lock.unlock();
        }
        if (queued) {
            waiter.announceQueued(callbacks);
        } else {
            // The stage is complete before anyone has seen it: no continuation exists, no other thread is needed.
            decisions.ended.remove(waiter);
            waiter.announceEnd(callbacks);
        }
        announce(decisions);
        return waiter;
    }

    /** Grants, queues or refuses a newcomer. */
    @GuardedBy("lock")
    private void arrive(Waiter waiter, Decisions decisions) {
        AdmissionRequest request = waiter.request;
        long now = clock.nanoTime();
        waiter.sequence = arrivals++;
        waiter.arrivedNanos = now;
        waiter.deadlineNanos = now + capacity.allowedWaitNanos(request.queueTimeout());
        waiter.bytes =
                request.memoryBytes().orElse(capacity.limits().group("default").memoryPerQueryBytes());
        Rejection refusal = refuseAtOnce(waiter);
        if (refusal != null) {
            waiter.markRefused(refusal);
            return;
        }
        waiter.expectedNanos = history.expectedNanos(request.user(), request.fingerprint());
        UserQueue user = queue.userFor(request.user());
        if (queue.nobodyInTurn() && canStart(waiter.bytes, user)) {
            grant(waiter, user, now);
            return;
        }
        queue.enqueue(waiter, user);
        dispatch(now, decisions);
        if (waiter.queue != null) {
            keepOrRefuse(waiter, user, now, decisions);
        }
    }

    /** A refusal that needs no look at the queue; so a storm of them is cheap. */
    @GuardedBy("lock")
    private @Nullable Rejection refuseAtOnce(Waiter waiter) {
        if (draining) {
            return forecast.draining();
        }
        if (!capacity.mayReserve(waiter.bytes)) {
            return new Rejection.MemoryTooLarge(
                    waiter.bytes, capacity.limits().group("default").memoryMaxPerQueryBytes());
        }
        String name = waiter.request.user();
        UserQueue user = queue.find(name);
        int queued = user == null ? 0 : user.queued();
        if (queued == 0 && canStart(waiter.bytes, user)) {
            return null;
        }
        return queueFull(name, queued, 1);
    }

    @GuardedBy("lock")
    private @Nullable Rejection queueFull(String user, int userQueued, int more) {
        if (!capacity.fitsUserQueue(userQueued + more)) {
            return forecast.queueFull(Rejection.Scope.USER, user);
        }
        return capacity.fitsQueue(more) ? null : forecast.queueFull(Rejection.Scope.GLOBAL, user);
    }

    /** Whether nothing but somebody's earlier turn keeps the user from starting a query of this size. */
    @GuardedBy("lock")
    private boolean canStart(long bytes, @Nullable UserQueue user) {
        return capacity.underRunningCap()
                && (user == null || capacity.underUserCap(user))
                && capacity.fitsMemory(bytes);
    }

    /** A newcomer that was not granted: it may have no place in the queue, or no time to wait. */
    @GuardedBy("lock")
    private void keepOrRefuse(Waiter waiter, UserQueue user, long now, Decisions decisions) {
        Rejection refusal = queueFull(user.name, user.queued(), 0);
        if (refusal == null && waiter.deadlineNanos == now) {
            refusal = forecast.queueTimeout(waiter, user, now);
        }
        if (refusal != null) {
            waiter.markRefused(refusal);
            queue.withdraw(waiter);
        } else if (queue.earliestDeadline() == waiter) {
            decisions.alarmFor = waiter;
        }
    }

    /** Grants until nobody can be. A waiter that a cancel has ended meanwhile hands its slot on to the next. */
    @GuardedBy("lock")
    private void dispatch(long now, Decisions decisions) {
        if (draining) {
            return;
        }
        for (Waiter waiter = queue.next(); waiter != null; waiter = queue.next()) {
            UserQueue user = waiter.queue;
            if (user != null && grant(waiter, user, now)) {
                decisions.ended.add(waiter);
            } else {
                queue.withdraw(waiter);
            }
        }
    }

    @GuardedBy("lock")
    private boolean grant(Waiter waiter, UserQueue user, long now) {
        double expected = history.expectedNanos(user.name, waiter.request.fingerprint());
        Permit permit = new Permit(waiter, user, capacity.share(waiter.bytes), expected, now, this);
        if (!waiter.markGranted(permit)) {
            return false;
        }
        queue.grant(waiter, permit);
        return true;
    }

    /** Called once per permit, by its close. */
    void release(Permit permit, RunPermit.Outcome outcome) {
        Decisions decisions = new Decisions();
        long heldNanos;
        lock.lock();
        try {
            long now = clock.nanoTime();
            heldNanos = Math.max(0, now - permit.grantedNanos);
            history.record(permit.request, outcome, heldNanos);
            queue.release(permit, heldNanos);
            dispatch(now, decisions);
            decisions.drained = draining && capacity.isIdle();
        } finally {
            lock.unlock();
        }
        callbacks.tell(listener -> listener.released(permit.request, outcome, heldNanos));
        announce(decisions);
    }

    /** Ends a wait from outside; true when this call did. */
    boolean cancel(Waiter waiter) {
        if (!waiter.markCancelled()) {
            return false;
        }
        Decisions decisions = new Decisions();
        decisions.ended.add(waiter);
        lock.lock();
        try {
            queue.withdraw(waiter);
            // It may have held the head for its memory.
            dispatch(clock.nanoTime(), decisions);
        } finally {
            lock.unlock();
        }
        announce(decisions);
        return true;
    }

    /** Called by the alarm. Ends a batch; when there are more, the alarm is set for them and rings at once. */
    private void expireWaiters() {
        Decisions decisions = new Decisions();
        lock.lock();
        try {
            long now = clock.nanoTime();
            List<Waiter> due = due(now);
            // All positions are told as they were before any of these left.
            List<Rejection> refusals = new ArrayList<>(due.size());
            for (Waiter waiter : due) {
                refusals.add(forecast.queueTimeout(waiter, requireQueue(waiter), now));
            }
            for (int i = 0; i < due.size(); i++) {
                refuse(due.get(i), refusals.get(i), decisions);
            }
            dispatch(now, decisions);
            decisions.alarmFor = queue.earliestDeadline();
        } finally {
            lock.unlock();
        }
        announce(decisions);
    }

    @GuardedBy("lock")
    private List<Waiter> due(long now) {
        List<Waiter> due = new ArrayList<>();
        for (Waiter waiter : queue.waiters()) {
            if (due.size() == BATCH || waiter.deadlineNanos - now > 0) {
                break;
            }
            due.add(waiter);
        }
        return due;
    }

    @GuardedBy("lock")
    private void refuse(Waiter waiter, Rejection refusal, Decisions decisions) {
        if (waiter.markRefused(refusal)) {
            decisions.ended.add(waiter);
        }
        queue.withdraw(waiter);
    }

    @Override
    public AdmissionSnapshot snapshot() {
        AdmissionSnapshot now;
        lock.lock();
        try {
            now = new AdmissionSnapshot(
                    capacity.limits(),
                    capacity.running(),
                    0,
                    capacity.queued(),
                    0,
                    capacity.reservedBytes(),
                    List.of(),
                    queue.userShares(),
                    java.util.Map.of(),
                    false,
                    draining);
        } finally {
            lock.unlock();
        }
        // Sorted outside the lock.
        List<AdmissionSnapshot.User> users = new ArrayList<>(now.users());
        users.sort(Comparator.comparing(AdmissionSnapshot.User::name));
        return new AdmissionSnapshot(
                now.limits(),
                now.running(),
                0,
                now.queued(),
                0,
                now.reservedBytes(),
                List.of(),
                users,
                java.util.Map.of(),
                false,
                now.draining());
    }

    @Override
    public Optional<WaitInfo> waitInfo(String queryId) {
        lock.lock();
        try {
            Waiter waiter = queue.waiter(queryId);
            if (waiter == null || !waiter.isWaiting()) {
                return Optional.empty();
            }
            return Optional.of(forecast.of(waiter, requireQueue(waiter), clock.nanoTime()));
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void update(AdmissionLimits limits) {
        Decisions decisions = new Decisions();
        lock.lock();
        try {
            capacity.limits(limits);
            refuseTooLarge(decisions);
            queue.limitsChanged();
            dispatch(clock.nanoTime(), decisions);
        } finally {
            lock.unlock();
        }
        announce(decisions);
    }

    /** A waiter that no longer fits even an empty budget would hold the head for ever. */
    @GuardedBy("lock")
    private void refuseTooLarge(Decisions decisions) {
        for (Waiter waiter : List.copyOf(queue.waiters())) {
            if (!capacity.mayReserve(waiter.bytes)) {
                refuse(waiter, forecast.memoryTooLarge(waiter.bytes), decisions);
            }
        }
    }

    @Override
    public CompletionStage<Void> drain() {
        boolean more = true;
        while (more) {
            Decisions decisions = new Decisions();
            lock.lock();
            try {
                draining = true;
                more = refuseSomeWaiters(decisions);
                decisions.drained = capacity.isIdle();
            } finally {
                lock.unlock();
            }
            announce(decisions);
        }
        return drained.minimalCompletionStage();
    }

    /** Refuses a batch of waiters because of the drain; true when there are more. */
    @GuardedBy("lock")
    private boolean refuseSomeWaiters(Decisions decisions) {
        Waiter waiter = queue.earliestDeadline();
        for (int i = 0; waiter != null && i < BATCH; i++) {
            refuse(waiter, forecast.draining(), decisions);
            waiter = queue.earliestDeadline();
        }
        return waiter != null;
    }

    @Override
    public Explanation explain(AdmissionRequest request) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<RunTimeStats> history(int most) {
        return List.of();
    }

    @Override
    public void hold(boolean held) {}

    @Override
    public long listenerFailures() {
        return callbacks.listenerFailures();
    }

    private static UserQueue requireQueue(Waiter waiter) {
        return Objects.requireNonNull(waiter.queue, "a waiter that was found queued");
    }

    /** Without the lock. */
    private void announce(Decisions decisions) {
        for (Waiter waiter : decisions.ended) {
            callbacks.run(() -> {
                waiter.announceQueued(callbacks);
                waiter.announceEnd(callbacks);
            });
        }
        if (decisions.drained) {
            callbacks.run(() -> drained.complete(null));
        }
        Waiter first = decisions.alarmFor;
        if (first != null && !alarm.setFor(first.deadlineNanos)) {
            // The scheduler was shut down before the controller: a wait that nothing bounds is not offered.
            drain();
        }
    }
}
