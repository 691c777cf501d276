package dev.weir.admission;

import java.util.List;
import java.util.Objects;

/**
 * Where each permit is counted and where it is charged. Invariant between two calls: a permit counts in exactly one place
 * until it is gone, and whoever no longer stands at a cap has saved up no time there.
 *
 * <p>Guarded by the controller's lock.
 */
final class Ledger {

    private final Capacity capacity;

    /** Charges every permit but those granted to a query that waited for the lane, until they leave it. */
    private final FairQueue mainQueue;

    Ledger(Capacity capacity, FairQueue mainQueue) {
        this.capacity = capacity;
        this.mainQueue = mainQueue;
    }

    /** Counts a permit elsewhere; whoever stood at a cap because of it starts afresh. */
    void move(Permit permit, Permit.Place to) {
        Account user = permit.account;
        boolean userAtCap = atUserCap(user);
        boolean groupAtCap = atGroupCap(user.group);
        capacity.leave(permit.place(), permit);
        permit.place(to);
        if (to != Permit.Place.GONE) {
            capacity.enter(to, permit);
        }
        if (userAtCap && !atUserCap(user)) {
            mainQueue.userCapLifted(user);
        }
        if (groupAtCap && !atGroupCap(user.group)) {
            mainQueue.groupCapLifted(user.group);
        }
    }

    /** Puts other limits in force; whoever stood at a cap that was raised starts afresh. */
    void limits(AdmissionLimits replacement, Accounts accounts) {
        List<Account> groups = mainQueue.groups().stream()
                .map(group -> group.account)
                .filter(this::atGroupCap)
                .toList();
        List<Account> users = mainQueue.groups().stream()
                .flatMap(group -> group.turns().stream())
                .map(user -> user.account)
                .filter(this::atUserCap)
                .toList();
        capacity.limits(replacement);
        accounts.limits(replacement);
        groups.stream().filter(group -> !atGroupCap(group)).forEach(mainQueue::groupCapLifted);
        users.stream().filter(user -> !atUserCap(user)).forEach(mainQueue::userCapLifted);
    }

    private boolean atUserCap(Account user) {
        return !capacity.underUserCap(Slots.ALL, user);
    }

    private boolean atGroupCap(Account group) {
        return !capacity.underGroupCap(Slots.ALL, group);
    }

    /**
     * Begins to charge a permit among all.
     *
     * @param share of the whole that it holds
     * @param expectedNanos charged in advance
     */
    void beginCharge(Permit permit, double share, double expectedNanos, long now) {
        permit.chargedBy = mainQueue;
        permit.chargedSince = now;
        permit.chargedShare = share;
        permit.chargedAhead = share * expectedNanos;
        mainQueue.beginCharge(mainQueue.userFor(permit.account), permit.chargedAhead);
    }

    /**
     * Puts a query back into a queue and ends the charge of its permit.
     *
     * @param ran whether it is charged for the time that it held its permit
     */
    void takeBack(Waiter waiter, FairQueue queue, Permit permit, boolean ran, long now) {
        double cost = ran ? permit.chargedShare * Math.max(0, now - permit.chargedSince) : 0;
        double correction = cost - permit.chargedAhead;
        FairQueue chargedBy = permit.chargedBy;
        UserQueue user = Objects.requireNonNull(chargedBy.find(permit.account), "charged");
        if (chargedBy == queue) {
            queue.takeBack(waiter, user, true, correction);
        } else {
            chargedBy.endCharge(user, correction);
            queue.takeBack(waiter, queue.userFor(waiter.account), false, 0);
        }
    }

    /** Ends the charge of a permit, wherever it is, and corrects it to the time that it lasted. */
    void endCharge(Permit permit, long now) {
        UserQueue user = permit.chargedBy.find(permit.account);
        double cost = permit.chargedShare * Math.max(0, now - permit.chargedSince);
        permit.chargedBy.endCharge(Objects.requireNonNull(user, "charged"), cost - permit.chargedAhead);
    }
}
