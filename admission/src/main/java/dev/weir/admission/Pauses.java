package dev.weir.admission;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Queries that lent their slot, and those of them that want it back. Invariants between two calls: exactly the permits
 * whose place is {@link Permit.Place#RESUMING} are in here, each once, in the order in which they asked; whenever the
 * lock is free none of them could have a slot.
 *
 * <p>Guarded by the controller's lock.
 */
final class Pauses {

    private final Capacity capacity;
    private final Ledger ledger;
    private final Deque<Permit> resuming = new ArrayDeque<>();

    Pauses(Capacity capacity, Ledger ledger) {
        this.capacity = capacity;
        this.ledger = ledger;
    }

    /** Lends a slot; false, with nothing changed, when that may not be. */
    boolean pause(Permit permit, long now) {
        boolean running = permit.place() == Permit.Place.ALL || permit.place() == Permit.Place.SHORT;
        if (!running || !capacity.mayPause(permit.account)) {
            return false;
        }
        ledger.endCharge(permit, now);
        permit.pausedSince = now;
        ledger.move(permit, Permit.Place.PAUSED);
        ledger.beginCharge(permit, capacity.memoryShare(permit.reservedBytes()), 0, now);
        return true;
    }

    /** A paused query wants its slot back. */
    void ask(Permit permit) {
        permit.resumed = new CompletableFuture<>();
        permit.place(Permit.Place.RESUMING);
        resuming.add(permit);
    }

    /** What a query that asked for its slot waits for; null when it has one. */
    @Nullable
    CompletableFuture<Void> stage(Permit permit) {
        return switch (permit.place()) {
            case RESUMING -> permit.resumed;
            case GONE -> CompletableFuture.failedFuture(new CancellationException("the query has ended"));
            case ALL, SHORT, PAUSED -> null;
        };
    }

    /** Whether no paused query wants its slot back. */
    boolean nobodyAsks() {
        return resuming.isEmpty();
    }

    /** Gives slots to those who want theirs back, in order; one at its user's or group's cap is passed over. */
    void resumeWhatCan(long now, Decisions decisions) {
        for (var asking = resuming.iterator(); asking.hasNext() && capacity.underRunningCap(); ) {
            Permit permit = asking.next();
            if (capacity.underUserCap(Slots.ALL, permit.account)
                    && capacity.underGroupCap(Slots.ALL, permit.account.group)) {
                asking.remove();
                ledger.endCharge(permit, now);
                permit.pausedNanos += now - permit.pausedSince;
                ledger.move(permit, Permit.Place.ALL);
                ledger.beginCharge(permit, capacity.share(permit.reservedBytes()), 0, now);
                decisions.resumed.add(permit);
            }
        }
    }

    /** A query is about to end; if it wants its slot back, it will not have it. */
    void end(Permit permit, Decisions decisions) {
        if (permit.place() == Permit.Place.RESUMING) {
            resuming.remove(permit);
            decisions.notResumed = permit.resumed;
        }
    }
}
