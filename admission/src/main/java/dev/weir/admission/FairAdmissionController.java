package dev.weir.admission;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
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
    private final QueueAlarm backoffAlarm;

    @GuardedBy("lock")
    private final Admitter admitter;

    @GuardedBy("lock")
    private final Inspector inspector;

    FairAdmissionController(AdmissionLimits limits, NanoClock clock, Scheduler scheduler, Callbacks callbacks) {
        this.clock = clock;
        this.callbacks = callbacks;
        this.alarm = new QueueAlarm(clock, scheduler, this::expireWaiters);
        this.laneAlarm = new QueueAlarm(clock, scheduler, this::grantWhatMayRun);
        this.backoffAlarm = new QueueAlarm(clock, scheduler, this::grantWhatMayRun);
        this.admitter = new Admitter(limits, new RateLimiter(clock), this);
        this.inspector = new Inspector(admitter);
    }

    /** A change of the state; what it means to others goes into the decisions. */
    @FunctionalInterface
    private interface Change<T> {
        T make(Admitter state, long now, Decisions decisions);
    }

    /** A change that has no result. */
    @FunctionalInterface
    private interface Step {
        void make(Admitter state, long now, Decisions decisions);
    }

    /** The one way to change the state: makes the change under the lock, and tells what it means after it. */
    private <T> T change(Change<T> change) {
        Decisions decisions = new Decisions();
        T result;
        lock.lock();
        try {
            long now = clock.nanoTime();
            admitter.capacity.backoffs.expire(now);
            result = change.make(admitter, now, decisions);
            decisions.overrunAt = admitter.lane.nextOverrun();
            decisions.backoffOverAt = admitter.capacity.backoffs.next();
        } finally {
            lock.unlock();
        }
        announce(decisions);
        return result;
    }

    private void step(Step step) {
        change((state, now, decisions) -> {
            step.make(state, now, decisions);
            return decisions;
        });
    }

    private <T> T look(Function<Inspector, T> look) {
        lock.lock();
        try {
            return look.apply(inspector);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Admission admit(AdmissionRequest request) {
        return change((state, now, decisions) -> {
            Waiter waiter = state.waiter(request, now);
            state.arrive(waiter, decisions);
            if (waiter.queue != null) {
                decisions.own = () -> waiter.announceQueued(callbacks);
            } else {
                // The stage is complete before anyone has seen it: no continuation exists, no other thread is needed.
                decisions.ended.remove(waiter);
                decisions.own = () -> waiter.announceEnd(callbacks);
            }
            return waiter;
        });
    }

    /** Called once per permit, by its close. */
    void release(Permit permit, RunPermit.Outcome outcome) {
        step((state, now, decisions) -> {
            long heldNanos = Math.max(0, now - permit.grantedNanos);
            state.release(permit, outcome, now, decisions);
            decisions.own = () -> callbacks.tell(listener -> listener.released(permit.request, outcome, heldNanos));
        });
    }

    /** Called at most once per permit, instead of its close. */
    Admission giveBack(Permit permit, Duration backoff, boolean forDefault) {
        return change((state, now, decisions) -> {
            Waiter waiter = state.takeBack(permit, backoff, forDefault, now, decisions);
            decisions.own = () -> waiter.announceQueued(callbacks);
            return waiter;
        });
    }

    /** Lends a permit's slot; false when that may not be. */
    boolean pause(Permit permit) {
        return change((state, now, decisions) -> {
            boolean paused = state.pause(permit, now, decisions);
            if (paused) {
                decisions.own = () -> callbacks.tell(listener -> listener.paused(permit.request));
            }
            return paused;
        });
    }

    /** Asks for a permit's slot again. */
    CompletionStage<Void> resume(Permit permit) {
        return change((state, now, decisions) -> {
            boolean wasPaused = permit.place() == Permit.Place.PAUSED;
            CompletableFuture<Void> stage = state.resume(permit, now, decisions);
            if (stage != null) {
                return stage.minimalCompletionStage();
            }
            if (wasPaused) {
                decisions.own = () -> callbacks.tell(listener -> listener.resumed(permit.request));
            }
            return CompletableFuture.completedFuture(null);
        });
    }

    /** Ends a wait from outside; true when this call did. */
    boolean cancel(Waiter waiter) {
        if (!waiter.markCancelled()) {
            return false;
        }
        step((state, now, decisions) -> {
            decisions.ended.add(waiter);
            state.withdraw(waiter);
            // It may have held the head for its memory.
            state.dispatch(now, decisions);
        });
        return true;
    }

    /** Called by the alarm of the lane, and by that of the backoffs. */
    private void grantWhatMayRun() {
        step(FairAdmissionController::grantWhatCan);
    }

    private static void grantWhatCan(Admitter state, long now, Decisions decisions) {
        state.lane.overrun(now, decisions);
        state.dispatch(now, decisions);
    }

    /** Called by the alarm. Ends a batch; when there are more, the alarm is set for them and rings at once. */
    private void expireWaiters() {
        step((state, now, decisions) -> {
            List<Waiter> due = due(state, now);
            // All positions are told as they were before any of these left.
            List<Rejection> refusals = new ArrayList<>(due.size());
            for (Waiter waiter : due) {
                refusals.add(state.forecast.queueTimeout(waiter, now));
            }
            for (int i = 0; i < due.size(); i++) {
                state.refuse(due.get(i), refusals.get(i), decisions);
            }
            state.dispatch(now, decisions);
            decisions.alarmFor = state.waiting.earliest();
        });
    }

    private static List<Waiter> due(Admitter state, long now) {
        List<Waiter> due = new ArrayList<>();
        for (Waiter waiter : state.waiting.all()) {
            if (due.size() == BATCH || waiter.deadlineNanos - now > 0) {
                break;
            }
            due.add(waiter);
        }
        return due;
    }

    @Override
    public AdmissionSnapshot snapshot() {
        AdmissionSnapshot now = look(state -> state.snapshot());
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
        return look(state -> state.waitInfo(queryId, clock.nanoTime()));
    }

    @Override
    public Explanation explain(AdmissionRequest request) {
        return look(state -> state.explain(request, clock.nanoTime()));
    }

    @Override
    public List<RunTimeStats> history(int most) {
        return look(state -> state.history(most));
    }

    @Override
    public void update(AdmissionLimits limits) {
        step((state, now, decisions) -> {
            state.limits(limits, decisions);
            grantWhatCan(state, now, decisions);
        });
    }

    @Override
    public void hold(@Nullable WaitReason reason) {
        step((state, now, decisions) -> {
            state.capacity.hold(reason);
            grantWhatCan(state, now, decisions);
        });
    }

    @Override
    public void learnMemory(boolean learn) {
        step((state, now, decisions) -> state.learnMemory = learn);
    }

    @Override
    public CompletionStage<Void> drain() {
        boolean more = true;
        while (more) {
            more = change((state, now, decisions) -> {
                state.draining = true;
                boolean left = refuseSomeWaiters(state, decisions);
                decisions.drained = state.drainedNow();
                return left;
            });
        }
        return change((state, now, decisions) -> state.drained).minimalCompletionStage();
    }

    @Override
    public void resume() {
        step((state, now, decisions) -> {
            if (state.draining) {
                state.draining = false;
                decisions.resumedDrain = state.drained;
                state.drained = new CompletableFuture<>();
                grantWhatCan(state, now, decisions);
            }
        });
    }

    /** Refuses a batch of waiters because of the drain; true when there are more. */
    private static boolean refuseSomeWaiters(Admitter state, Decisions decisions) {
        Waiter waiter = state.waiting.earliest();
        for (int i = 0; waiter != null && i < BATCH; i++) {
            state.refuse(waiter, state.forecast.draining(), decisions);
            waiter = state.waiting.earliest();
        }
        return waiter != null;
    }

    @Override
    public long listenerFailures() {
        return callbacks.listenerFailures();
    }

    /** Without the lock. */
    private void announce(Decisions decisions) {
        decisions.own.run();
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
        CompletableFuture<Void> drained = decisions.drained;
        if (drained != null) {
            callbacks.run(() -> drained.complete(null));
        }
        CompletableFuture<Void> resumed = decisions.resumedDrain;
        if (resumed != null) {
            callbacks.run(() -> resumed.completeExceptionally(new CancellationException("the drain was ended")));
        }
        Long overrunAt = decisions.overrunAt;
        if (overrunAt != null) {
            // Without a scheduler nothing leaves the lane; what is in it is bounded all the same.
            laneAlarm.setFor(overrunAt);
        }
        Waiter first = decisions.alarmFor;
        Long backoffOverAt = decisions.backoffOverAt;
        boolean unbounded = first != null && !alarm.setFor(first.deadlineNanos);
        if (unbounded || (backoffOverAt != null && !backoffAlarm.setFor(backoffOverAt))) {
            // The scheduler was shut down before the controller: a wait that nothing bounds is not offered.
            drain();
        }
    }
}
