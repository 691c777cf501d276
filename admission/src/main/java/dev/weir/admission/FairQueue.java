package dev.weir.admission;

import java.io.Serial;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Whose turn it is: start-time fair queueing between users by resource time, first come first served within a user.
 *
 * <p>Each user has a virtual time, the resource time the user has had. The user with the least goes first; a grant
 * charges it what the query is expected to cost, the release corrects that to what it did cost. The queue's own virtual
 * time is the highest start of any grant. A user who comes back from idling, or from standing at the user's own cap,
 * starts there at the earliest: time not used is not saved up. {@code RATIONALE.md} has the whole of it.
 *
 * <p>In the order of turns stand exactly the users that have a waiter and are under their cap. Guarded by the
 * controller's lock.
 */
final class FairQueue {

    /**
     * How often smaller queries may overtake one that lacks memory. Enough that slots are rarely left empty while a
     * large reservation is gathered (with the default cap of 2 per core, 8 cores turn over once), and few enough that
     * the large one waits no longer than about 16 small ones take.
     */
    static final int MAX_PASSES = 16;

    /** Idle users whose virtual time is still ahead are remembered up to this number. */
    static final int MAX_DEBTORS = 10_000;

    private static final Comparator<UserQueue> BY_TURN = Comparator.<UserQueue>comparingDouble(
                    user -> user.virtualNanos)
            .thenComparingLong(user -> user.turnSequence);

    private static final Comparator<UserQueue> BY_SIZE =
            Comparator.<UserQueue>comparingLong(user -> user.turnBytes).thenComparingLong(user -> user.turnSequence);

    /** Overflow of the clock is harmless: deadlines are compared by their difference. */
    private static final Comparator<Waiter> BY_DEADLINE = (left, right) -> {
        long difference = left.deadlineNanos - right.deadlineNanos;
        return difference == 0 ? Long.compare(left.sequence, right.sequence) : Long.signum(difference);
    };

    private final Capacity capacity;

    /** Users that run or wait. */
    private final Map<String, UserQueue> users = new HashMap<>();

    private final Map<String, Double> debtors = new Debtors();
    private final NavigableSet<UserQueue> turns = new TreeSet<>(BY_TURN);
    private final NavigableSet<UserQueue> turnsBySize = new TreeSet<>(BY_SIZE);
    private final NavigableSet<Waiter> deadlines = new TreeSet<>(BY_DEADLINE);
    private final Map<String, Waiter> waitersById = new HashMap<>();
    private double virtualNanos;

    FairQueue(Capacity capacity) {
        this.capacity = capacity;
    }

    /** Users that run or wait. */
    Collection<UserQueue> users() {
        return users.values();
    }

    /** What each user runs, waits for and holds; in no order. */
    List<AdmissionSnapshot.User> userShares() {
        List<AdmissionSnapshot.User> shares = new ArrayList<>(users.size());
        for (UserQueue user : users.values()) {
            shares.add(new AdmissionSnapshot.User(
                    user.name, "default", user.running, 0, user.queued(), 0, user.reservedBytes));
        }
        return shares;
    }

    @Nullable
    UserQueue find(String user) {
        return users.get(user);
    }

    /** The user, ready to be granted or queued something at once. */
    UserQueue userFor(String name) {
        UserQueue known = users.get(name);
        if (known != null) {
            return known;
        }
        Double debt = debtors.remove(name);
        UserQueue user = new UserQueue(name, debt == null ? virtualNanos : debt);
        users.put(name, user);
        return user;
    }

    @Nullable
    Waiter waiter(String queryId) {
        return waitersById.get(queryId);
    }

    Collection<Waiter> waiters() {
        return deadlines;
    }

    /** The waiter whose time runs out first. */
    @Nullable
    Waiter earliestDeadline() {
        return deadlines.isEmpty() ? null : deadlines.first();
    }

    /** Whether no user could start a query, were there a slot and the memory. */
    boolean nobodyInTurn() {
        return turns.isEmpty();
    }

    void enqueue(Waiter waiter, UserQueue user) {
        boolean first = user.head() == null;
        user.append(waiter);
        deadlines.add(waiter);
        waitersById.put(waiter.request.queryId(), waiter);
        capacity.queued(1);
        if (first) {
            startAfresh(user);
            joinTurns(user);
        }
    }

    /** Takes a waiter out that was not granted; nothing when it has left already. */
    void withdraw(Waiter waiter) {
        UserQueue user = waiter.queue;
        if (user == null) {
            return;
        }
        if (user.head() == waiter) {
            leaveTurns(user);
            unlink(waiter, user);
            joinTurns(user);
        } else {
            unlink(waiter, user);
        }
        retireIfIdle(user);
    }

    /**
     * The waiter to be granted now, or null when none can be. Whoever lacks memory is skipped, until it has been
     * skipped often enough; then it holds all behind it until it fits.
     */
    @Nullable
    Waiter next() {
        if (turns.isEmpty() || !capacity.underRunningCap() || !capacity.fitsMemory(turnsBySize.first().turnBytes)) {
            return null;
        }
        for (UserQueue user : turns) {
            Waiter head = user.requireHead();
            if (capacity.fitsMemory(head.bytes)) {
                return head;
            }
            if (head.passes >= MAX_PASSES) {
                return null;
            }
        }
        return null;
    }

    /** Charges and counts a permit, given to a waiter of this queue or to a newcomer. */
    void grant(Waiter waiter, Permit permit) {
        UserQueue user = permit.user;
        if (waiter.queue == null) {
            startAfresh(user);
        } else {
            for (UserQueue passed : turns.headSet(user)) {
                passed.requireHead().passes++;
            }
            leaveTurns(user);
            unlink(waiter, user);
        }
        virtualNanos = Math.max(virtualNanos, user.virtualNanos);
        user.virtualNanos += permit.expectedCharge();
        capacity.take(permit);
        joinTurns(user);
    }

    /** Counts a permit back and corrects its charge to the time it was held. */
    void release(Permit permit, long heldNanos) {
        UserQueue user = permit.user;
        boolean wasInTurn = user.inTurn;
        leaveTurns(user);
        user.virtualNanos += permit.share * heldNanos - permit.expectedCharge();
        capacity.giveBack(permit);
        if (!wasInTurn && user.head() != null) {
            startAfresh(user);
        }
        joinTurns(user);
        retireIfIdle(user);
    }

    /** Puts everyone in or out of turn anew, after the limits changed. */
    void limitsChanged() {
        for (UserQueue user : users.values()) {
            if (!user.inTurn && user.head() != null) {
                startAfresh(user);
            }
            leaveTurns(user);
            joinTurns(user);
        }
    }

    /** Where a user's next query starts in virtual time. */
    double nextStart(UserQueue user) {
        return user.inTurn ? user.virtualNanos : Math.max(user.virtualNanos, virtualNanos);
    }

    /** Nobody saves up time by idling, nor by standing at the own cap. */
    private void startAfresh(UserQueue user) {
        user.virtualNanos = Math.max(user.virtualNanos, virtualNanos);
    }

    private void joinTurns(UserQueue user) {
        Waiter head = user.head();
        if (head != null && capacity.underUserCap(user)) {
            user.turnSequence = head.sequence;
            user.turnBytes = head.bytes;
            user.inTurn = true;
            turns.add(user);
            turnsBySize.add(user);
        }
    }

    private void leaveTurns(UserQueue user) {
        if (user.inTurn) {
            turns.remove(user);
            turnsBySize.remove(user);
            user.inTurn = false;
        }
    }

    private void unlink(Waiter waiter, UserQueue user) {
        user.remove(waiter);
        deadlines.remove(waiter);
        waitersById.remove(waiter.request.queryId(), waiter);
        capacity.queued(-1);
    }

    private void retireIfIdle(UserQueue user) {
        if (!user.isIdle()) {
            return;
        }
        users.remove(user.name);
        if (capacity.isIdle()) {
            // A new busy period: what was taken while nobody else wanted it is owed to nobody.
            debtors.clear();
        } else if (user.virtualNanos > virtualNanos) {
            debtors.put(user.name, user.virtualNanos);
        }
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
