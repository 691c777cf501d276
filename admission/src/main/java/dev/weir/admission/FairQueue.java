package dev.weir.admission;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Whose turn it is: start-time fair queueing by resource time, between groups by their weights and between the users of
 * a group equally; within a user by priority, then first come first served.
 *
 * <p>Each user has a virtual time, the resource time the user has had; so has each group, divided by its weight. The
 * group with the least goes first, and in it the user with the least. A grant charges both what the query is expected to
 * cost, the release corrects that to what it did cost. A user or group that comes back from idling, or from standing at
 * its own cap, starts at the earliest where the others are: time not used is not saved up. {@code RATIONALE.md} has the
 * whole of it.
 *
 * <p>In the order of turns stands whoever has a waiter; who is at a cap is passed over. Guarded by the controller's lock.
 */
final class FairQueue {

    /**
     * How often smaller queries may overtake one that lacks memory. Enough that slots are rarely left empty while a
     * large reservation is gathered (with the default cap of 2 per core, 8 cores turn over once), and few enough that
     * the large one waits no longer than about 16 small ones take.
     */
    static final int MAX_PASSES = 16;

    private static final Comparator<GroupQueue> BY_TURN = Comparator.<GroupQueue>comparingDouble(
                    group -> group.virtualNanos)
            .thenComparing(group -> group.account.name);

    private final Capacity capacity;
    private final Map<String, GroupQueue> groups = new HashMap<>();
    private final NavigableSet<GroupQueue> turns = new TreeSet<>(BY_TURN);

    /** Heads that the last {@link #next} passed over for their memory. */
    private final List<Waiter> skipped = new ArrayList<>();

    private double clockNanos;

    FairQueue(Capacity capacity) {
        this.capacity = capacity;
    }

    Collection<GroupQueue> groups() {
        return groups.values();
    }

    /** The user's queue, ready to be granted or queued something at once. */
    UserQueue userFor(Account user) {
        return groups.computeIfAbsent(user.group.name, name -> new GroupQueue(user.group, clockNanos))
                .userFor(user);
    }

    @Nullable
    UserQueue find(Account user) {
        GroupQueue group = groups.get(user.group.name);
        return group == null ? null : group.find(user.name);
    }

    /** Whether nobody waits here. */
    boolean nobodyInTurn() {
        return turns.isEmpty();
    }

    void enqueue(Waiter waiter, UserQueue user) {
        boolean first = user.head() == null;
        change(user, () -> {
            user.append(waiter);
            if (first) {
                startAfresh(user);
            }
        });
    }

    /**
     * Puts one back that gave its permit back.
     *
     * @param charged whether the permit was charged here; then its place is the one that it had, and it saves up nothing
     *     by that
     * @param correction ends the charge, if it was
     */
    void takeBack(Waiter waiter, UserQueue user, boolean charged, double correction) {
        boolean first = user.head() == null;
        change(user, () -> {
            user.takeBack(waiter);
            if (charged) {
                add(user, correction);
                user.charged--;
            } else if (first) {
                startAfresh(user);
            }
        });
    }

    /** Takes a waiter out that was not granted. */
    void withdraw(Waiter waiter, UserQueue user) {
        change(user, () -> user.remove(waiter));
    }

    /**
     * The waiter to be granted one of these slots now, or null when none can be. Whoever is at a cap, lacks memory or
     * was sent back by the engine a moment ago is passed over; one that was passed over for memory often enough holds all behind it until it fits.
     */
    @Nullable
    Waiter next(Slots slots) {
        skipped.clear();
        if (!capacity.isFree(slots)) {
            return null;
        }
        boolean nobodyFits = !anyFits();
        for (GroupQueue group : turns) {
            if (!capacity.underGroupCap(slots, group.account)) {
                continue;
            }
            for (UserQueue user : group.turns()) {
                Waiter head = user.requireHead();
                if (head.backsOff || !capacity.underUserCap(slots, user.account)) {
                    continue;
                }
                if (capacity.fitsMemory(head.bytes, group.account)) {
                    return head;
                }
                skipped.add(head);
                if (nobodyFits) {
                    // Nor do those behind it: the first in turn speaks for all of them.
                    return null;
                }
                if (head.wasPassedOver()) {
                    if (!capacity.fitsMemory(head.bytes)) {
                        return null;
                    }
                    // Its own group's budget holds it: others are not to wait for that.
                    break;
                }
            }
        }
        return null;
    }

    private boolean anyFits() {
        for (GroupQueue group : turns) {
            if (capacity.fitsMemory(group.smallestBytes())) {
                return true;
            }
        }
        return false;
    }

    /** Whether somebody who was passed over often enough keeps memory for itself; as of the last {@link #next}. */
    boolean isHolding() {
        return !skipped.isEmpty()
                && skipped.get(skipped.size() - 1).wasPassedOver()
                && !capacity.fitsMemory(skipped.get(skipped.size() - 1).bytes);
    }

    /** Somebody was granted what those passed over by the last {@link #next} lacked. */
    void countPasses() {
        for (Waiter waiter : skipped) {
            waiter.passes++;
        }
        skipped.clear();
    }

    /** Charges a permit given to a waiter of this queue, or to a newcomer. */
    void grant(Waiter waiter, UserQueue user, double charge) {
        change(user, () -> {
            if (waiter.queue == null) {
                startAfresh(user);
            } else {
                user.remove(waiter);
            }
            GroupQueue group = user.group;
            group.reached(user.virtualNanos);
            clockNanos = Math.max(clockNanos, group.virtualNanos);
            add(user, charge);
            user.charged++;
        });
    }

    /** Begins to charge a permit that was charged elsewhere before. */
    void beginCharge(UserQueue user, double charge) {
        change(user, () -> {
            startAfresh(user);
            add(user, charge);
            user.charged++;
        });
    }

    /**
     * Ends the charge of a permit.
     *
     * @param correction what it cost beyond what was charged; negative when it cost less
     */
    void endCharge(UserQueue user, double correction) {
        change(user, () -> {
            add(user, correction);
            user.charged--;
        });
    }

    private static void add(UserQueue user, double charge) {
        user.virtualNanos += charge;
        user.group.virtualNanos += charge / user.group.account.limits.weight();
    }

    /** A user that stood at its cap and no longer does has saved up nothing, if it waits. */
    void userCapLifted(Account account) {
        UserQueue user = find(account);
        if (user != null && user.inTurn) {
            change(user, () -> user.group.startAfresh(user));
        }
    }

    /** The same for a group. */
    void groupCapLifted(Account account) {
        GroupQueue group = groups.get(account.name);
        if (group != null && group.inTurn) {
            restart(group, Math.max(group.virtualNanos, clockNanos));
        }
    }

    private void restart(GroupQueue group, double virtualNanos) {
        boolean inTurn = turns.remove(group);
        group.virtualNanos = virtualNanos;
        if (inTurn) {
            turns.add(group);
        }
    }

    /**
     * Virtual times to be put back after a look.
     *
     * @param ofUser null when the user has no queue
     */
    record Times(@Nullable Double ofUser, double ofGroup) {}

    /** Those of a user and the group; null when the group has no queue. */
    @Nullable
    Times times(Account account) {
        GroupQueue group = groups.get(account.group.name);
        UserQueue user = find(account);
        return group == null ? null : new Times(user == null ? null : user.virtualNanos, group.virtualNanos);
    }

    /** Puts them back as they were. */
    void putBack(Account account, @Nullable Times times) {
        GroupQueue group = groups.get(account.group.name);
        UserQueue user = find(account);
        if (group == null || times == null) {
            return;
        }
        Double ofUser = times.ofUser();
        if (user != null && ofUser != null) {
            change(user, () -> user.virtualNanos = ofUser);
        }
        restart(group, times.ofGroup());
    }

    /** Nothing runs or waits any more: debts are owed to nobody. */
    void forgetDebts() {
        for (GroupQueue group : groups.values()) {
            group.forgetDebts();
            group.virtualNanos = clockNanos;
        }
        groups.values().removeIf(group -> group.users().isEmpty());
    }

    /** Where the next query of the user's group starts, among the groups. */
    double nextStart(GroupQueue group) {
        return group.inTurn ? group.virtualNanos : Math.max(group.virtualNanos, clockNanos);
    }

    private void startAfresh(UserQueue user) {
        user.group.startAfresh(user);
        if (user.group.turns().isEmpty()) {
            user.group.virtualNanos = Math.max(user.group.virtualNanos, clockNanos);
        }
    }

    /** Takes user and group out of their orders, changes them, and puts them in again. */
    private void change(UserQueue user, Runnable change) {
        GroupQueue group = user.group;
        group.leave(user);
        if (group.inTurn) {
            turns.remove(group);
            group.inTurn = false;
        }
        change.run();
        group.join(user);
        if (!group.turns().isEmpty()) {
            group.inTurn = true;
            turns.add(group);
        }
        group.retireIfIdle(user);
    }
}
