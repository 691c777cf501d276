package dev.weir.admission;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The controller: one lock, under which every change of state is made whole by the {@link Admitter}. Invariant whenever
 * the lock is free: no waiter could run; what could was granted before. So a newcomer that finds a slot free takes it
 * from nobody.
 *
 * <p>Under the lock nothing foreign is called but the clock. What a change means to others is collected in
 * {@link Decisions} and told after unlock. Called by fronts' threads, whoever closes permits, and the alarms.
 */
final class FairAdmissionController implements AdmissionController {

    /** Waiters ended per hold of the lock when many end at once, so that others get in between. */
    private static final int BATCH = 256;

    private final ReentrantLock lock = new ReentrantLock();
    private final NanoClock clock;
    private final Callbacks callbacks;
    private final QueueAlarm alarm;
    private final QueueAlarm laneAlarm;
    private final CompletableFuture<Void> drained = new CompletableFuture<>();

    @GuardedBy("lock")
    private final Admitter admitter;

    @GuardedBy("lock")
    private final Inspector inspector;

    FairAdmissionController(AdmissionLimits limits, NanoClock clock, Scheduler scheduler, Callbacks callbacks) {
        this.clock = clock;
        this.callbacks = callbacks;
        this.alarm = new QueueAlarm(clock, scheduler, this::expireWaiters);
        this.laneAlarm = new QueueAlarm(clock, scheduler, this::overrun);
        this.admitter = new Admitter(limits, new RateLimiter(clock), this);
        this.inspector = new Inspector(admitter);
    }

    @Override
    public Admission admit(AdmissionRequest request) {
        Decisions decisions = new Decisions();
        Waiter waiter;
        boolean queued;
        Long overrunAt;
        lock.lock();
        try {
            waiter = admitter.waiter(request, clock.nanoTime());
            admitter.arrive(waiter, decisions);
            queued = waiter.queue != null;
            overrunAt = admitter.nextOverrun();
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
        announce(decisions, overrunAt);
        return waiter;
    }

    /** Called once per permit, by its close. */
    void release(Permit permit, RunPermit.Outcome outcome) {
        Decisions decisions = new Decisions();
        long heldNanos;
        Long overrunAt;
        lock.lock();
        try {
            long now = clock.nanoTime();
            heldNanos = Math.max(0, now - permit.grantedNanos);
            admitter.release(permit, outcome, now, decisions);
            overrunAt = admitter.nextOverrun();
        } finally {
            lock.unlock();
        }
        callbacks.tell(listener -> listener.released(permit.request, outcome, heldNanos));
        announce(decisions, overrunAt);
    }

    /** Lends a permit's slot; false when that may not be. */
    boolean pause(Permit permit) {
        Decisions decisions = new Decisions();
        boolean paused;
        Long overrunAt;
        lock.lock();
        try {
            paused = admitter.pause(permit, clock.nanoTime(), decisions);
            overrunAt = admitter.nextOverrun();
        } finally {
            lock.unlock();
        }
        if (paused) {
            callbacks.tell(listener -> listener.paused(permit.request));
        }
        announce(decisions, overrunAt);
        return paused;
    }

    /** Asks for a permit's slot again. */
    CompletionStage<Void> resume(Permit permit) {
        Decisions decisions = new Decisions();
        boolean wasPaused;
        CompletableFuture<Void> stage;
        lock.lock();
        try {
            wasPaused = permit.place() == Permit.Place.PAUSED;
            stage = admitter.resume(permit, clock.nanoTime(), decisions);
        } finally {
            lock.unlock();
        }
        if (stage == null && wasPaused) {
            callbacks.tell(listener -> listener.resumed(permit.request));
        }
        announce(decisions, null);
        return stage == null ? CompletableFuture.completedFuture(null) : stage.minimalCompletionStage();
    }

    /** Ends a wait from outside; true when this call did. */
    boolean cancel(Waiter waiter) {
        if (!waiter.markCancelled()) {
            return false;
        }
        Decisions decisions = new Decisions();
        decisions.ended.add(waiter);
        Long overrunAt;
        lock.lock();
        try {
            admitter.withdraw(waiter);
            // It may have held the head for its memory.
            admitter.dispatch(clock.nanoTime(), decisions);
            overrunAt = admitter.nextOverrun();
        } finally {
            lock.unlock();
        }
        announce(decisions, overrunAt);
        return true;
    }

    /** Called by the alarm of the lane. */
    private void overrun() {
        Decisions decisions = new Decisions();
        Long overrunAt;
        lock.lock();
        try {
            long now = clock.nanoTime();
            admitter.overrun(now, decisions);
            admitter.dispatch(now, decisions);
            overrunAt = admitter.nextOverrun();
        } finally {
            lock.unlock();
        }
        announce(decisions, overrunAt);
    }

    /** Called by the alarm. Ends a batch; when there are more, the alarm is set for them and rings at once. */
    private void expireWaiters() {
        Decisions decisions = new Decisions();
        Long overrunAt;
        lock.lock();
        try {
            long now = clock.nanoTime();
            List<Waiter> due = due(now);
            // All positions are told as they were before any of these left.
            List<Rejection> refusals = new ArrayList<>(due.size());
            for (Waiter waiter : due) {
                refusals.add(admitter.forecast.queueTimeout(waiter, now));
            }
            for (int i = 0; i < due.size(); i++) {
                refuse(due.get(i), refusals.get(i), decisions);
            }
            admitter.dispatch(now, decisions);
            decisions.alarmFor = admitter.waiting.earliest();
            overrunAt = admitter.nextOverrun();
        } finally {
            lock.unlock();
        }
        announce(decisions, overrunAt);
    }

    @GuardedBy("lock")
    private List<Waiter> due(long now) {
        List<Waiter> due = new ArrayList<>();
        for (Waiter waiter : admitter.waiting.all()) {
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
        admitter.withdraw(waiter);
    }

    @Override
    public AdmissionSnapshot snapshot() {
        AdmissionSnapshot now;
        lock.lock();
        try {
            now = inspector.snapshot();
        } finally {
            lock.unlock();
        }
        // Sorted outside the lock.
        List<AdmissionSnapshot.Group> groups = new ArrayList<>(now.groups());
        groups.sort(Comparator.comparing(AdmissionSnapshot.Group::name));
        List<AdmissionSnapshot.User> users = new ArrayList<>(now.users());
        users.sort(Comparator.comparing(AdmissionSnapshot.User::name));
        return new AdmissionSnapshot(
                now.limits(),
                now.running(),
                now.shortRunning(),
                now.queued(),
                now.paused(),
                now.reservedBytes(),
                groups,
                users,
                now.reasons(),
                now.held(),
                now.draining());
    }

    @Override
    public Optional<WaitInfo> waitInfo(String queryId) {
        lock.lock();
        try {
            Waiter waiter = admitter.waiting.find(queryId);
            if (waiter == null || !waiter.isWaiting()) {
                return Optional.empty();
            }
            return Optional.of(admitter.forecast.of(waiter, clock.nanoTime()));
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Explanation explain(AdmissionRequest request) {
        lock.lock();
        try {
            return inspector.explain(request, clock.nanoTime());
        } finally {
            lock.unlock();
        }
    }

    @Override
    public List<RunTimeStats> history(int most) {
        lock.lock();
        try {
            return admitter.history.stats(most, admitter.shortNanos());
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void update(AdmissionLimits limits) {
        change((state, decisions) -> state.limits(limits, decisions));
    }

    @Override
    public void hold(boolean held) {
        change((state, decisions) -> state.capacity.hold(held));
    }

    /** Changes what may run, and grants what may now. */
    private void change(BiConsumer<Admitter, Decisions> change) {
        Decisions decisions = new Decisions();
        Long overrunAt;
        lock.lock();
        try {
            long now = clock.nanoTime();
            change.accept(admitter, decisions);
            admitter.overrun(now, decisions);
            admitter.dispatch(now, decisions);
            overrunAt = admitter.nextOverrun();
        } finally {
            lock.unlock();
        }
        announce(decisions, overrunAt);
    }

    @Override
    public CompletionStage<Void> drain() {
        boolean more = true;
        while (more) {
            Decisions decisions = new Decisions();
            lock.lock();
            try {
                admitter.draining = true;
                more = refuseSomeWaiters(decisions);
                decisions.drained = admitter.capacity.isIdle();
            } finally {
                lock.unlock();
            }
            announce(decisions, null);
        }
        return drained.minimalCompletionStage();
    }

    /** Refuses a batch of waiters because of the drain; true when there are more. */
    @GuardedBy("lock")
    private boolean refuseSomeWaiters(Decisions decisions) {
        Waiter waiter = admitter.waiting.earliest();
        for (int i = 0; waiter != null && i < BATCH; i++) {
            refuse(waiter, admitter.forecast.draining(), decisions);
            waiter = admitter.waiting.earliest();
        }
        return waiter != null;
    }

    @Override
    public long listenerFailures() {
        return callbacks.listenerFailures();
    }

    /** Without the lock. */
    private void announce(Decisions decisions, @Nullable Long overrunAt) {
        for (Waiter waiter : decisions.ended) {
            callbacks.run(() -> {
                waiter.announceQueued(callbacks);
                waiter.announceEnd(callbacks);
            });
        }
        for (Permit permit : decisions.overran) {
            callbacks.tell(listener -> listener.overran(permit.request));
        }
        for (Permit permit : decisions.resumed) {
            CompletableFuture<Void> stage = permit.resumed;
            callbacks.run(() -> {
                callbacks.tell(listener -> listener.resumed(permit.request));
                if (stage != null) {
                    stage.complete(null);
                }
            });
        }
        CompletableFuture<Void> late = decisions.notResumed;
        if (late != null) {
            callbacks.run(() -> late.completeExceptionally(new CancellationException("the query has ended")));
        }
        if (decisions.drained) {
            callbacks.run(() -> drained.complete(null));
        }
        if (overrunAt != null) {
            // Without a scheduler nothing leaves the lane; what is in it is bounded all the same.
            laneAlarm.setFor(overrunAt);
        }
        Waiter first = decisions.alarmFor;
        if (first != null && !alarm.setFor(first.deadlineNanos)) {
            // The scheduler was shut down before the controller: a wait that nothing bounds is not offered.
            drain();
        }
    }
}
