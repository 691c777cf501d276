package dev.weir.admission;

import org.jspecify.annotations.Nullable;

/**
 * Who may start: a newcomer that overtakes nobody, and among those who wait whoever's turn it is. Looks and counts passes,
 * but grants nothing.
 *
 * <p>Guarded by the controller's lock.
 */
final class Turns {

    private final Capacity capacity;
    private final FairQueue mainQueue;
    private final FairQueue shortQueue;
    private final Lane lane;
    private final Pauses pauses;

    Turns(Capacity capacity, FairQueue mainQueue, FairQueue shortQueue, Lane lane, Pauses pauses) {
        this.capacity = capacity;
        this.mainQueue = mainQueue;
        this.shortQueue = shortQueue;
        this.lane = lane;
        this.pauses = pauses;
    }

    /** The slots a newcomer can have without a place in the queue; null when it has to queue. */
    @Nullable
    Slots startsAtOnce(Waiter waiter) {
        if (waiter.slots == Slots.SHORT && lane.overtakesNobody() && canStart(waiter, Slots.SHORT)) {
            return Slots.SHORT;
        }
        return mainQueue.nobodyInTurn()
                        && lane.nobodyIsOvertakenBy(waiter.slots)
                        && pauses.nobodyAsks()
                        && canStart(waiter, Slots.ALL)
                ? Slots.ALL
                : null;
    }

    /** Whether nothing but somebody's earlier turn keeps a query from one of these slots. */
    boolean canStart(Waiter waiter, Slots slots) {
        return capacity.isFree(slots)
                && capacity.underUserCap(slots, waiter.account)
                && capacity.underGroupCap(slots, waiter.account.group)
                && capacity.fitsMemory(waiter.bytes, waiter.account.group);
    }

    /** Who is to have what next. */
    record Turn(Waiter waiter, Slots slots) {}

    /** Whose turn it is: first among all, then in the lane; who was passed over often enough goes before the others. */
    @Nullable
    Turn next() {
        Waiter amongAll = mainQueue.next(Slots.ALL);
        Waiter inLane = shortQueue.next(Slots.SHORT);
        boolean laneFirst = inLane == null ? shortQueue.isHolding() : inLane.wasPassedOver();
        // The one among all comes before the one in the lane: so two that hold never keep each other waiting.
        if (amongAll != null && (amongAll.wasPassedOver() || !laneFirst)) {
            return new Turn(amongAll, Slots.ALL);
        }
        if (mainQueue.isHolding()) {
            return null;
        }
        if (inLane != null) {
            return new Turn(inLane, Slots.SHORT);
        }
        Waiter outside = shortQueue.isHolding() ? null : shortQueue.next(Slots.ALL);
        return outside == null ? null : new Turn(outside, Slots.ALL);
    }

    /** Somebody who waited for these slots was granted, and so passed whoever could have started but for memory. */
    void countPasses(Slots waitedFor) {
        if (waitedFor == Slots.ALL) {
            mainQueue.countPasses();
            lane.countPasses();
        } else {
            shortQueue.countPasses();
            mainQueue.countPasses();
        }
    }
}
