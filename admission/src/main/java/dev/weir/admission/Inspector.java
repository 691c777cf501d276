package dev.weir.admission;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Looks at the state and changes nothing. Guarded by the controller's lock. */
final class Inspector {

    private final Admitter admitter;

    Inspector(Admitter admitter) {
        this.admitter = admitter;
    }

    /** Groups and users in no order. */
    AdmissionSnapshot snapshot() {
        Capacity capacity = admitter.capacity;
        List<AdmissionSnapshot.Group> groups = new ArrayList<>();
        for (Account group : admitter.accounts.groups()) {
            if (!group.isIdle()) {
                groups.add(new AdmissionSnapshot.Group(
                        group.name,
                        group.running + group.shortRunning,
                        group.shortRunning,
                        group.queued,
                        group.paused,
                        group.reservedBytes));
            }
        }
        List<AdmissionSnapshot.User> users = new ArrayList<>();
        for (Account user : admitter.accounts.users()) {
            users.add(new AdmissionSnapshot.User(
                    user.name,
                    user.group.name,
                    user.running + user.shortRunning,
                    user.shortRunning,
                    user.queued,
                    user.paused,
                    user.reservedBytes));
        }
        return new AdmissionSnapshot(
                capacity.limits(),
                capacity.running() + capacity.shortRunning(),
                capacity.shortRunning(),
                capacity.queued(),
                capacity.paused(),
                capacity.reservedBytes(),
                groups,
                users,
                reasons(),
                capacity.held() != null,
                admitter.draining);
    }

    /** By the reason of each user's first: those behind it wait for that. */
    private Map<WaitReason, Integer> reasons() {
        Map<WaitReason, Integer> reasons = new EnumMap<>(WaitReason.class);
        for (FairQueue queue : List.of(admitter.mainQueue, admitter.shortQueue)) {
            for (GroupQueue group : queue.groups()) {
                for (UserQueue user : group.turns()) {
                    reasons.merge(admitter.forecast.reason(user.requireHead()), user.queued(), Integer::sum);
                }
            }
        }
        return reasons;
    }

    /** The wait of one query; empty when it does not wait. */
    Optional<WaitInfo> waitInfo(String queryId, long now) {
        Waiter waiter = admitter.waiting.find(queryId);
        return waiter == null || !waiter.isWaiting()
                ? Optional.empty()
                : Optional.of(admitter.forecast.of(waiter, now));
    }

    List<RunTimeStats> history(int most) {
        return admitter.history.stats(most, admitter.lane.shortNanos());
    }

    /** Puts the query in its place, looks, and takes it out again. */
    Explanation explain(AdmissionRequest request, long now) {
        RunTimeHistory.Guess guess = admitter.history.classify(request, admitter.lane.shortNanos());
        Waiter waiter = admitter.waiter(request, now);
        try {
            Rejection refusal = admitter.refuseAtOnce(waiter, true);
            if (refusal != null) {
                return explanation(Explanation.Decision.REFUSE, waiter, guess, Optional.empty(), Optional.of(refusal));
            }
            Slots free = admitter.turns.startsAtOnce(waiter);
            if (free != null) {
                return explanation(runs(free), waiter, guess, Optional.empty(), Optional.empty());
            }
            return waiting(waiter, guess, now);
        } finally {
            admitter.accounts.retireIfIdle(waiter.account);
        }
    }

    private Explanation waiting(Waiter waiter, RunTimeHistory.Guess guess, long now) {
        FairQueue queue = admitter.queue(waiter.slots);
        FairQueue.Times before = queue.times(waiter.account);
        admitter.enqueue(waiter);
        try {
            Turns.Turn turn = admitter.turns.next();
            if (turn != null && turn.waiter() == waiter) {
                return explanation(runs(turn.slots()), waiter, guess, Optional.empty(), Optional.empty());
            }
            WaitInfo wait = admitter.forecast.of(waiter, now);
            return explanation(Explanation.Decision.WAIT, waiter, guess, Optional.of(wait), Optional.empty());
        } finally {
            admitter.withdraw(waiter);
            queue.putBack(waiter.account, before);
        }
    }

    private static Explanation.Decision runs(Slots slots) {
        return slots == Slots.ALL ? Explanation.Decision.RUN : Explanation.Decision.RUN_SHORT;
    }

    private Explanation explanation(
            Explanation.Decision decision,
            Waiter waiter,
            RunTimeHistory.Guess guess,
            Optional<WaitInfo> wait,
            Optional<Rejection> rejection) {
        Optional<Duration> expected = admitter.history.isEmpty()
                ? Optional.empty()
                : Optional.of(Duration.ofNanos(Math.round(waiter.expectedNanos)));
        return new Explanation(
                decision,
                waiter.account.group.name,
                waiter.queryClass,
                Optional.ofNullable(guess.from()),
                waiter.bytes,
                waiter.learnedBytes,
                expected,
                wait,
                rejection);
    }
}
