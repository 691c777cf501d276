package dev.weir.admission;

import java.io.Serial;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The users of one group, in the order of their turns by virtual time, and the group's own place among the groups.
 * Guarded by the controller's lock.
 */
final class GroupQueue {

    /** Idle users whose virtual time is still ahead are remembered up to this number. */
    static final int MAX_DEBTORS = 10_000;

    private static final Comparator<UserQueue> BY_TURN = Comparator.<UserQueue>comparingDouble(
                    user -> user.virtualNanos)
            .thenComparingLong(user -> user.turnSequence);

    private static final Comparator<UserQueue> BY_SIZE =
            Comparator.<UserQueue>comparingLong(user -> user.turnBytes).thenComparingLong(user -> user.turnSequence);

    final Account account;

    /** Where the group's next query starts, among the groups; changed only while it is out of their order. */
    double virtualNanos;

    boolean inTurn;

    /** The highest start of any grant to one of its users. */
    private double clockNanos;

    private final Map<String, UserQueue> users = new HashMap<>();
    private final Map<String, Double> debtors = new Debtors();
    private final NavigableSet<UserQueue> turns = new TreeSet<>(BY_TURN);
    private final NavigableSet<UserQueue> turnsBySize = new TreeSet<>(BY_SIZE);

    GroupQueue(Account account, double virtualNanos) {
        this.account = account;
        this.virtualNanos = virtualNanos;
    }

    Collection<UserQueue> users() {
        return users.values();
    }

    @Nullable
    UserQueue find(String user) {
        return users.get(user);
    }

    UserQueue userFor(Account user) {
        UserQueue known = users.get(user.name);
        if (known != null && known.account == user) {
            return known;
        }
        Double debt = debtors.remove(user.name);
        UserQueue made = new UserQueue(user, this, debt == null ? clockNanos : debt);
        users.put(user.name, made);
        return made;
    }

    /** Users with a waiter, by turn. */
    NavigableSet<UserQueue> turns() {
        return turns;
    }

    /** Bytes of the smallest of the heads; only when somebody is in turn. */
    long smallestBytes() {
        return turnsBySize.first().turnBytes;
    }

    /** Nobody saves up time by idling, nor by standing at the own cap. */
    void startAfresh(UserQueue user) {
        user.virtualNanos = Math.max(user.virtualNanos, clockNanos);
    }

    double nextStart(UserQueue user) {
        return user.inTurn ? user.virtualNanos : Math.max(user.virtualNanos, clockNanos);
    }

    void reached(double start) {
        clockNanos = Math.max(clockNanos, start);
    }

    void join(UserQueue user) {
        Waiter head = user.head();
        if (head != null) {
            user.turnSequence = head.sequence;
            user.turnBytes = head.bytes;
            user.inTurn = true;
            turns.add(user);
            turnsBySize.add(user);
        }
    }

    void leave(UserQueue user) {
        if (user.inTurn) {
            turns.remove(user);
            turnsBySize.remove(user);
            user.inTurn = false;
        }
    }

    /** Forgets a user who neither waits nor is charged; what the user owes is remembered. */
    void retireIfIdle(UserQueue user) {
        if (user.isIdle() && users.remove(user.account.name, user) && user.virtualNanos > clockNanos) {
            debtors.put(user.account.name, user.virtualNanos);
        }
    }

    /** A new busy period: what was taken while nobody else wanted it is owed to nobody. */
    void forgetDebts() {
        debtors.clear();
    }

    /** The one that went idle longest ago is forgotten first: its debt is the likeliest to be paid off by now. */
    private static final class Debtors extends LinkedHashMap<String, Double> {

        @Serial
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Double> eldest) {
            return size() > MAX_DEBTORS;
        }
    }
}
