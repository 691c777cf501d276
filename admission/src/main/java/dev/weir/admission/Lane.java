package dev.weir.admission;

import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The lane for short queries: who may enter it, and who has to leave it. Invariants between two calls: exactly the
 * permits whose place is {@link Permit.Place#SHORT} are in here, each once; those in time are in the order of their
 * grants, so the first of them overruns next; with those that overran and left, never more than cap + lane count among
 * all, so never more than cap + 2 x lane run.
 *
 * <p>Guarded by the controller's lock.
 */
final class Lane {

    private final Capacity capacity;
    private final FairQueue mainQueue;
    private final FairQueue shortQueue;
    private final Ledger ledger;

    private final Set<Permit> inTime = new LinkedHashSet<>();

    /** Took too long and had to keep their place, since the allowance among all was spent; in order. */
    private final Set<Permit> overdue = new LinkedHashSet<>();

    Lane(Capacity capacity, FairQueue mainQueue, FairQueue shortQueue, Ledger ledger) {
        this.capacity = capacity;
        this.mainQueue = mainQueue;
        this.shortQueue = shortQueue;
        this.ledger = ledger;
    }

    /** A query expected to take less is short, and one that takes as long leaves the lane. */
    long shortNanos() {
        return capacity.limits().shortQuery().toNanos();
    }

    /**
     * Where a newcomer is to wait, or to run.
     *
     * @param bytes its reservation if it is to be the lane
     */
    Slots slotsFor(QueryClass queryClass, Account account, long bytes) {
        if (capacity.limits().shortLane() == 0) {
            return Slots.ALL;
        }
        return switch (queryClass) {
            case HEAVY -> Slots.ALL;
            case SHORT -> Slots.SHORT;
            // Nothing is known: it may try the lane if it can at once, else it waits with all others.
            case UNKNOWN -> mayProbe(account, bytes) ? Slots.SHORT : Slots.ALL;
        };
    }

    private boolean mayProbe(Account account, long bytes) {
        return capacity.mayProbe(account)
                && overtakesNobody()
                && capacity.isFree(Slots.SHORT)
                && capacity.underUserCap(Slots.SHORT, account)
                && capacity.underGroupCap(Slots.SHORT, account.group)
                && capacity.fitsMemory(bytes, account.group);
    }

    /** Whether nobody waits for the lane, nor for memory while a slot of all is free: so the lane may simply go on. */
    boolean overtakesNobody() {
        return shortQueue.nobodyInTurn() && (mainQueue.nobodyInTurn() || !capacity.isFree(Slots.ALL));
    }

    /**
     * Whether a newcomer may have a slot of all with nobody passed over who waits for the lane: for memory, if there are
     * places; for whatever, if the newcomer would wait there, too.
     */
    boolean nobodyIsOvertakenBy(Slots waitsFor) {
        return shortQueue.nobodyInTurn() || (waitsFor == Slots.ALL && !capacity.isFree(Slots.SHORT));
    }

    /** Somebody was granted a slot of all; whoever could have a place in the lane but for memory was passed over. */
    void countPasses() {
        shortQueue.next(Slots.SHORT);
        shortQueue.countPasses();
    }

    /** A permit of the lane was granted, at this moment. */
    void enter(Permit permit) {
        inTime.add(permit);
    }

    /** A permit is not in the lane any more, if it was. */
    void leave(Permit permit) {
        inTime.remove(permit);
        overdue.remove(permit);
    }

    /** Lets queries that took too long count among all, as far as the allowance goes. */
    void overrun(long now, Decisions decisions) {
        for (Permit permit = first(inTime); permit != null && overran(permit, now); permit = first(inTime)) {
            inTime.remove(permit);
            overdue.add(permit);
        }
        for (Permit permit = first(overdue); permit != null && capacity.mayOverrun(); permit = first(overdue)) {
            overdue.remove(permit);
            ledger.endCharge(permit, now);
            ledger.move(permit, Permit.Place.ALL);
            // As likely as not it takes as long again.
            ledger.beginCharge(permit, capacity.share(permit.reservedBytes()), (double) permit.activeNanos(now), now);
            decisions.overran.add(permit);
        }
    }

    private boolean overran(Permit permit, long now) {
        return now - permit.grantedNanos >= shortNanos();
    }

    private static @Nullable Permit first(Set<Permit> permits) {
        return permits.isEmpty() ? null : permits.iterator().next();
    }

    /** When the next query overruns; null when none is in the lane that still may. */
    @Nullable
    Long nextOverrun() {
        Permit permit = first(inTime);
        return permit == null ? null : permit.grantedNanos + shortNanos();
    }
}
