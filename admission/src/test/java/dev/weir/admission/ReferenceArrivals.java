package dev.weir.admission;

import dev.weir.admission.ReferenceQuery.State;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The rules about newcomers: what is known about one, whether it is refused, and whether it starts without a wait. */
final class ReferenceArrivals {

    private final ReferenceHistory history;
    private final ReferenceRoom room;
    private final List<ReferenceQuery> waiting;
    private final List<ReferenceQuery> resuming;
    private long arrivals;
    boolean learnMemory;

    /** The lists are those of the reference, as they are at each moment. */
    ReferenceArrivals(
            ReferenceHistory history, ReferenceRoom room, List<ReferenceQuery> waiting, List<ReferenceQuery> resuming) {
        this.history = history;
        this.room = room;
        this.waiting = waiting;
        this.resuming = resuming;
    }

    /** With everything that is known about it. */
    ReferenceQuery newcomer(AdmissionRequest request) {
        String group = room.groupOf(request);
        QueryClass queryClass = history.classify(request);
        GroupLimits limits = room.limits.group(group);
        long small = request.memoryBytes().orElse(Math.max(1, limits.memoryPerQueryBytes() / 4));
        boolean known = queryClass == QueryClass.SHORT && room.limits.shortLane() > 0;
        boolean probes = queryClass == QueryClass.UNKNOWN && mayProbe(request, group, small);
        Slots slots = known || probes ? Slots.SHORT : Slots.ALL;
        long wait = Math.min(
                Math.max(0, request.queueTimeout().toNanos()),
                limits.queueTimeout().toNanos());
        ReferenceQuery query =
                new ReferenceQuery(request, arrivals++, group, queryClass, slots, small, room.now + wait);
        reserve(query);
        return query;
    }

    /** What was learned counts only where less is known to be enough. */
    void reserve(ReferenceQuery query) {
        long whole = room.limits.group(query.group).memoryPerQueryBytes();
        long most = query.slots == Slots.SHORT ? Math.max(1, whole / 4) : whole;
        long learned =
                learnMemory ? history.learnedBytes(query.request.fingerprint()).orElse(most) : most;
        query.learned = query.request.memoryBytes().isEmpty() && learned < most;
        query.bytes = query.request.memoryBytes().orElse(Math.min(learned, most));
    }

    /** A quarter of the lane for a user's unknown statements, half of it for a group's, if there is a place at once. */
    private boolean mayProbe(AdmissionRequest request, String group, long bytes) {
        Predicate<ReferenceQuery> probes = query -> query.is(State.IN_LANE) && query.queryClass == QueryClass.UNKNOWN;
        return room.mayOverrun()
                && room.count(probes.and(query -> query.user().equals(request.user()))) < room.laneByPart(4)
                && room.count(probes.and(query -> query.group.equals(group))) < room.laneByPart(2)
                && room.canStart(request.user(), group, bytes, Slots.SHORT)
                && laneOvertakesNobody();
    }

    @Nullable
    String refusedAtOnce(ReferenceQuery query, boolean draining) {
        if (draining) {
            return "Draining";
        }
        if (query.bytes > room.limits.group(query.group).memoryMaxPerQueryBytes()) {
            return "MemoryTooLarge";
        }
        boolean first = waiting.stream().noneMatch(other -> other.user().equals(query.user()));
        return first && (room.canStart(query, Slots.ALL) || room.canStart(query, query.slots))
                ? null
                : room.queueFull(query, 1);
    }

    /** Nobody is overtaken: nobody waits where it would run, nobody wants a slot back, nobody is gathering memory. */
    @Nullable
    Slots startsAtOnce(ReferenceQuery query) {
        if (query.slots == Slots.SHORT && laneOvertakesNobody() && room.canStart(query, Slots.SHORT)) {
            return Slots.SHORT;
        }
        boolean alone = nobodyWaits(Slots.ALL)
                && (nobodyWaits(Slots.SHORT) || (query.slots == Slots.ALL && !room.isFree(Slots.SHORT)));
        return alone && resuming.isEmpty() && room.canStart(query, Slots.ALL) ? Slots.ALL : null;
    }

    private boolean laneOvertakesNobody() {
        return nobodyWaits(Slots.SHORT) && (nobodyWaits(Slots.ALL) || !room.isFree(Slots.ALL));
    }

    private boolean nobodyWaits(Slots slots) {
        return waitingIn(slots).findAny().isEmpty();
    }

    Stream<ReferenceQuery> waitingIn(Slots slots) {
        return waiting.stream().filter(query -> query.slots == slots);
    }
}
