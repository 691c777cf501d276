package dev.weir.admission;

import dev.weir.admission.ReferenceQuery.State;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The rules of {@code RATIONALE.md} once more, as plainly as they can be put: lists of queries that are walked for every
 * question; no counters, no indexes, nothing kept in order. Without rates and without predictions.
 */
final class Reference {

    /** In the order of their arrival. */
    private final List<ReferenceQuery> waiting = new ArrayList<>();

    /** Those that hold a permit, in the order of their grants. */
    private final List<ReferenceQuery> permits = new ArrayList<>();

    /** Those that want their slot back, in the order in which they asked. */
    private final List<ReferenceQuery> resuming = new ArrayList<>();

    private final ReferenceHistory history;

    /** What happened, in order, as in {@code granted q7}. */
    final List<String> events = new ArrayList<>();

    private final ReferenceRoom room;
    private final ReferenceCharges charges;
    private final ReferenceArrivals arrivals;
    private long now;
    private boolean draining;

    Reference(AdmissionLimits limits) {
        this.history = new ReferenceHistory(limits.shortQuery().toNanos());
        this.room = new ReferenceRoom(limits, waiting, permits);
        this.charges = new ReferenceCharges(waiting, room);
        this.arrivals = new ReferenceArrivals(history, room, waiting, resuming);
    }

    ReferenceQuery submit(AdmissionRequest request) {
        ReferenceQuery query = arrivals.newcomer(request);
        query.refused = arrivals.refusedAtOnce(query, draining);
        if (query.refused != null) {
            query.state = State.ENDED;
            events.add("rejected " + query.id());
            return query;
        }
        Slots free = arrivals.startsAtOnce(query);
        if (free != null) {
            charges.startAfresh(query, query.slots);
            grant(query, free);
            return query;
        }
        if (arrivals.waitingIn(query.slots).noneMatch(other -> other.user().equals(query.user()))) {
            charges.startAfresh(query, query.slots);
        }
        waiting.add(query);
        dispatch();
        if (query.is(State.WAITS)) {
            String refused = room.queueFull(query, 0);
            if (refused == null && query.deadline == now) {
                refused = "QueueTimeout " + room.reason(query);
            }
            if (refused != null) {
                query.refused = refused;
                withdraw(query);
            }
        }
        return query;
    }

    /** Paused queries that go on come first, then all by turns, then the lane. */
    private void dispatch() {
        for (ReferenceQuery query : List.copyOf(resuming)) {
            if (room.underRunningCap()
                    && room.underUserCap(Slots.ALL, query.user(), query.group)
                    && room.underGroupCap(Slots.ALL, query.group)) {
                resuming.remove(query);
                charges.end(query, now);
                query.pausedFor += now - query.pausedSince;
                move(query, State.RUNS);
                charges.begin(query, room.share(query.bytes), 0, now);
                events.add("resumed " + query.id());
            }
        }
        while (!draining && grantNext()) {
            // Until nobody can have a slot.
        }
    }

    private boolean grantNext() {
        ReferenceWalk main = walk(Slots.ALL, Slots.ALL);
        ReferenceWalk waitForLane = walk(Slots.SHORT, Slots.SHORT);
        ReferenceQuery inLane = waitForLane.found();
        boolean laneHolds = waitForLane.isHolding(room);
        boolean laneFirst = inLane == null ? laneHolds : inLane.passes >= FairQueue.MAX_PASSES;
        ReferenceQuery first = main.found();
        if (first != null && (!laneFirst || first.passes >= FairQueue.MAX_PASSES)) {
            grant(first, Slots.ALL);
            main.countPasses();
            walk(Slots.SHORT, Slots.SHORT).countPasses();
            return true;
        }
        if (main.isHolding(room)) {
            return false;
        }
        for (Slots slots : laneHolds ? List.of(Slots.SHORT) : List.of(Slots.SHORT, Slots.ALL)) {
            ReferenceWalk lane = walk(Slots.SHORT, slots);
            if (lane.found() != null) {
                grant(lane.found(), slots);
                lane.countPasses();
                main.countPasses();
                return true;
            }
        }
        return false;
    }

    private ReferenceWalk walk(Slots among, Slots slots) {
        return ReferenceWalk.over(arrivals.waitingIn(among).toList(), charges.in(among), slots, room);
    }

    private void grant(ReferenceQuery query, Slots slots) {
        double expected = history.expected(query.request.fingerprint(), query.user(), query.group);
        charges.in(query.slots).granted(query.group, query.user());
        waiting.remove(query);
        query.granted = now;
        query.state = slots == Slots.ALL ? State.RUNS : State.IN_LANE;
        permits.add(query);
        room.freed = Math.max(0, room.freed - 1);
        charges.charge(query, query.slots, room.share(query.bytes), expected, now);
        events.add("granted " + query.id());
    }

    /** Counts a query elsewhere; whoever waits and is no longer at a cap starts afresh. */
    private void move(ReferenceQuery query, State to) {
        boolean userUnder = room.underUserCap(Slots.ALL, query.user(), query.group);
        boolean groupUnder = room.underGroupCap(Slots.ALL, query.group);
        query.state = to;
        if (to == State.ENDED) {
            permits.remove(query);
        }
        if (!userUnder && room.underUserCap(Slots.ALL, query.user(), query.group)) {
            charges.userLifted(query);
        }
        if (!groupUnder && room.underGroupCap(Slots.ALL, query.group)) {
            charges.groupLifted(query);
        }
    }

    private void withdraw(ReferenceQuery query) {
        waiting.remove(query);
        query.state = State.ENDED;
        if (query.refused != null) {
            events.add("rejected " + query.id());
        }
        forgetIfIdle();
    }

    private void forgetIfIdle() {
        if (waiting.isEmpty() && permits.isEmpty()) {
            charges.forget();
        }
    }

    void close(ReferenceQuery query, RunPermit.Outcome outcome, long peak) {
        history.record(query.request, query.group, outcome == RunPermit.Outcome.FINISHED, query.active(now));
        history.recordPeak(query.request.fingerprint(), peak);
        charges.end(query, now);
        resuming.remove(query);
        move(query, State.ENDED);
        room.freed++;
        overrun();
        dispatch();
        forgetIfIdle();
    }

    /** The engine had no place: the query waits again where it was, with what is left of its time. */
    void giveBack(ReferenceQuery query, long backoff) {
        if (query.queryClass == QueryClass.UNKNOWN && query.slots == Slots.SHORT) {
            query.slots = Slots.ALL;
            arrivals.reserve(query);
        }
        query.deadline = now + query.deadline - query.granted;
        charges.undo(query);
        waitAgain(query);
        if (backoff > 0) {
            room.freed = now < room.fullUntil ? room.freed : 0;
            query.notBefore = now + backoff;
            room.fullUntil = Math.max(room.fullUntil, query.notBefore);
        }
        grantOrRefuse(query);
    }

    /** What was learned was too little: it waits for the default, among all. */
    void giveBackForDefault(ReferenceQuery query) {
        GroupLimits limits = room.limits.group(query.group);
        query.slots = Slots.ALL;
        query.learned = false;
        query.bytes = limits.memoryPerQueryBytes();
        query.deadline = now + limits.queueTimeout().toNanos();
        charges.end(query, now);
        waitAgain(query);
        room.freed++;
        grantOrRefuse(query);
    }

    private void waitAgain(ReferenceQuery query) {
        events.add("returned " + query.id());
        boolean others =
                arrivals.waitingIn(query.slots).anyMatch(other -> other.user().equals(query.user()));
        if (query.chargedIn != query.slots && !others) {
            charges.startAfresh(query, query.slots);
        }
        resuming.remove(query);
        waiting.add(query);
        move(query, State.ENDED);
        query.state = State.WAITS;
        query.pausedFor = 0;
    }

    private void grantOrRefuse(ReferenceQuery query) {
        if (draining) {
            refuse(other -> other == query, other -> "Draining");
        } else if (query.bytes > room.limits.group(query.group).memoryMaxPerQueryBytes()) {
            refuse(other -> other == query, other -> "MemoryTooLarge");
        }
        overrun();
        dispatch();
        if (query.is(State.WAITS) && query.deadline <= now) {
            refuse(other -> other == query, other -> "QueueTimeout " + room.reason(query));
            dispatch();
        }
    }

    void learnMemory(boolean learn) {
        arrivals.learnMemory = learn;
    }

    /** Those in the lane for too long count among all, the one granted first before the others. */
    private void overrun() {
        for (ReferenceQuery query : List.copyOf(permits)) {
            boolean tooLong = query.is(State.IN_LANE)
                    && now - query.granted >= room.limits.shortQuery().toNanos();
            if (tooLong && room.mayOverrun()) {
                charges.end(query, now);
                move(query, State.RUNS);
                charges.begin(query, room.share(query.bytes), query.active(now), now);
                events.add("overran " + query.id());
            }
        }
    }

    boolean cancel(ReferenceQuery query) {
        if (!waiting.contains(query)) {
            return false;
        }
        withdraw(query);
        dispatch();
        return true;
    }

    boolean pause(ReferenceQuery query) {
        if (!query.is(State.RUNS, State.IN_LANE) || !room.mayPause(query)) {
            return false;
        }
        charges.end(query, now);
        query.pausedSince = now;
        move(query, State.PAUSED);
        charges.begin(query, room.memoryShare(query.bytes), 0, now);
        overrun();
        dispatch();
        return true;
    }

    void resume(ReferenceQuery query) {
        if (query.is(State.PAUSED)) {
            query.state = State.RESUMING;
            resuming.add(query);
            dispatch();
        }
    }

    void hold(boolean held) {
        room.held = held;
        overrun();
        dispatch();
    }

    void update(AdmissionLimits limits) {
        List<ReferenceQuery> usersAtCap = arrivals.waitingIn(Slots.ALL)
                .filter(query -> !room.underUserCap(Slots.ALL, query.user(), query.group))
                .toList();
        List<ReferenceQuery> groupsAtCap = arrivals.waitingIn(Slots.ALL)
                .filter(query -> !room.underGroupCap(Slots.ALL, query.group))
                .toList();
        room.limits = limits;
        usersAtCap.stream()
                .filter(query -> room.underUserCap(Slots.ALL, query.user(), query.group))
                .forEach(charges::userLifted);
        groupsAtCap.stream()
                .filter(query -> room.underGroupCap(Slots.ALL, query.group))
                .forEach(charges::groupLifted);
        refuse(query -> query.bytes > limits.group(query.group).memoryMaxPerQueryBytes(), query -> "MemoryTooLarge");
        overrun();
        dispatch();
    }

    void drain() {
        draining = true;
        refuse(query -> true, query -> "Draining");
    }

    /** Refuses waiters, the one whose time runs out first before the others, all for what holds before that. */
    private void refuse(Predicate<ReferenceQuery> which, Function<ReferenceQuery, String> why) {
        List<ReferenceQuery> refused = waiting.stream()
                .filter(which)
                .sorted(Comparator.<ReferenceQuery>comparingLong(query -> query.deadline)
                        .thenComparingLong(query -> query.sequence))
                .toList();
        refused.forEach(query -> query.refused = why.apply(query));
        refused.forEach(this::withdraw);
    }

    /** Lets time pass: each query that overruns and each wait that ends does so at its moment. */
    void advanceTo(long end) {
        long lane = room.limits.shortQuery().toNanos();
        while (true) {
            long next = Stream.concat(
                            permits.stream()
                                    .filter(query -> query.is(State.IN_LANE))
                                    .map(query -> query.granted + lane),
                            Stream.concat(
                                    waiting.stream().flatMap(query -> Stream.of(query.deadline, query.notBefore)),
                                    Stream.of(room.fullUntil)))
                    .filter(time -> time > now)
                    .min(Comparator.naturalOrder())
                    .orElse(Long.MAX_VALUE);
            now = Math.min(next, end);
            room.now = now;
            if (next > end) {
                return;
            }
            if (waiting.stream().anyMatch(query -> query.deadline <= now)) {
                refuse(query -> query.deadline <= now, query -> "QueueTimeout " + room.reason(query));
            } else {
                overrun();
            }
            dispatch();
        }
    }

    AdmissionSnapshot snapshot() {
        return room.snapshot(draining);
    }
}
