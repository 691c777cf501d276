package dev.weir.admission;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Who is charged for what, and who starts afresh when, restated. */
final class ReferenceCharges {

    private final Map<Slots, ReferenceTurns> turns =
            Map.of(Slots.ALL, new ReferenceTurns(), Slots.SHORT, new ReferenceTurns());
    private final List<ReferenceQuery> waiting;
    private final ReferenceRoom room;

    /** Looks at these, which others change. */
    ReferenceCharges(List<ReferenceQuery> waiting, ReferenceRoom room) {
        this.waiting = waiting;
        this.room = room;
    }

    ReferenceTurns in(Slots slots) {
        return turns.get(slots);
    }

    /** Charges a query what it is expected to cost. */
    void charge(ReferenceQuery query, Slots in, double share, double expected, long now) {
        query.chargedIn = in;
        query.chargedSince = now;
        query.share = share;
        query.ahead = share * expected;
        in(in).charge(query.group, query.user(), weight(query), query.ahead);
    }

    /** The same among all, for a query that was charged elsewhere. */
    void begin(ReferenceQuery query, double share, double expected, long now) {
        startAfresh(query, Slots.ALL);
        charge(query, Slots.ALL, share, expected, now);
    }

    /** Corrects what was charged to what it did cost. */
    void end(ReferenceQuery query, long now) {
        double cost = query.share * (now - query.chargedSince);
        in(query.chargedIn).charge(query.group, query.user(), weight(query), cost - query.ahead);
    }

    /** It did not run: takes back what was charged. */
    void undo(ReferenceQuery query) {
        in(query.chargedIn).charge(query.group, query.user(), weight(query), -query.ahead);
    }

    private double weight(ReferenceQuery query) {
        return room.limits.group(query.group).weight();
    }

    /** The user, and the group if no other of its users waits. */
    void startAfresh(ReferenceQuery query, Slots in) {
        in(in).startUserAfresh(query.group, query.user());
        boolean othersWait = waitingIn(in)
                .anyMatch(other ->
                        other.group.equals(query.group) && !other.user().equals(query.user()));
        if (!othersWait) {
            in(in).startGroupAfresh(query.group);
        }
    }

    /** The user of this query is no longer at the cap. */
    void userLifted(ReferenceQuery of) {
        if (waitingIn(Slots.ALL).anyMatch(query -> query.user().equals(of.user()))) {
            in(Slots.ALL).startUserAfresh(of.group, of.user());
        }
    }

    /** Nor is its group. */
    void groupLifted(ReferenceQuery of) {
        if (waitingIn(Slots.ALL).anyMatch(query -> query.group.equals(of.group))) {
            in(Slots.ALL).startGroupAfresh(of.group);
        }
    }

    private Stream<ReferenceQuery> waitingIn(Slots slots) {
        return waiting.stream().filter(query -> query.slots == slots);
    }

    void forget() {
        turns.values().forEach(ReferenceTurns::forget);
    }
}
