package dev.weir.admission;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One walk through an order of turns.
 *
 * @param found whose turn it is; null when nobody can have such a slot
 * @param skipped those in turn before it that lack memory
 */
record ReferenceWalk(@Nullable ReferenceQuery found, List<ReferenceQuery> skipped) {

    static final Comparator<ReferenceQuery> WITHIN_USER = Comparator.<ReferenceQuery, Priority>comparing(
                    query -> query.request.priority())
            .thenComparing(query -> query.sequence);

    /** The first waiter of each user, by turn. */
    private static List<ReferenceQuery> heads(List<ReferenceQuery> waiting, ReferenceTurns turns) {
        return waiting.stream()
                .filter(query -> waiting.stream()
                        .noneMatch(other -> other.user().equals(query.user()) && WITHIN_USER.compare(other, query) < 0))
                .sorted(Comparator.<ReferenceQuery>comparingDouble(query -> turns.ofGroup(query.group))
                        .thenComparing(query -> query.group)
                        .thenComparingDouble(query -> turns.ofUser(query.group, query.user()))
                        .thenComparingLong(query -> query.sequence))
                .toList();
    }

    static ReferenceWalk over(List<ReferenceQuery> waiting, ReferenceTurns turns, Slots slots, ReferenceRoom room) {
        List<ReferenceQuery> skipped = new ArrayList<>();
        if (!room.isFree(slots)) {
            return new ReferenceWalk(null, skipped);
        }
        List<ReferenceQuery> heads = heads(waiting, turns);
        boolean nobodyFits = heads.stream().noneMatch(head -> room.fitsMemory(head.bytes));
        List<String> held = new ArrayList<>();
        for (ReferenceQuery head : heads) {
            if (held.contains(head.group)
                    || room.backsOff(head)
                    || !room.underGroupCap(slots, head.group)
                    || !room.underUserCap(slots, head.user(), head.group)) {
                continue;
            }
            if (room.fitsMemory(head.bytes, head.group)) {
                return new ReferenceWalk(head, skipped);
            }
            skipped.add(head);
            boolean holds = head.passes >= FairQueue.MAX_PASSES;
            if (nobodyFits || (holds && !room.fitsMemory(head.bytes))) {
                return new ReferenceWalk(null, skipped);
            }
            if (holds) {
                held.add(head.group);
            }
        }
        return new ReferenceWalk(null, skipped);
    }

    void countPasses() {
        skipped.forEach(query -> query.passes++);
    }

    /** Whether somebody was passed over often enough and now keeps all memory that comes free for itself. */
    boolean isHolding(ReferenceRoom room) {
        return skipped.stream()
                .anyMatch(query -> query.passes >= FairQueue.MAX_PASSES && !room.fitsMemory(query.bytes));
    }
}
