package dev.weir.admission;

import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * One user's waiters, by priority and then by arrival, and the user's place in virtual time. Waiters are linked through
 * themselves, so that one in the middle leaves in constant time.
 *
 * <p>Guarded by the controller's lock.
 */
final class UserQueue {

    private static final int LEVELS = Priority.values().length;

    final Account account;
    final GroupQueue group;

    /** Permits that are charged here. */
    int charged;

    /**
     * Virtual time up to which the user has been served; where the next query starts. Changed only while the user is
     * out of the order of turns.
     */
    double virtualNanos;

    /** Whether the user stands in the order of turns, and the arrival and size of its head when it was put there. */
    boolean inTurn;

    long turnSequence;
    long turnBytes;

    private final @Nullable Waiter[] heads = new @Nullable Waiter[LEVELS];
    private final @Nullable Waiter[] tails = new @Nullable Waiter[LEVELS];
    private int queued;
    private double queuedExpectedNanos;

    UserQueue(Account account, GroupQueue group, double virtualNanos) {
        this.account = account;
        this.group = group;
        this.virtualNanos = virtualNanos;
    }

    int queued() {
        return queued;
    }

    boolean isIdle() {
        return charged == 0 && queued == 0;
    }

    /** Mean of the expected run times of those that wait; 0 when none does. */
    double meanExpectedNanos() {
        return queued == 0 ? 0 : queuedExpectedNanos / queued;
    }

    @Nullable
    Waiter head() {
        for (Waiter head : heads) {
            if (head != null) {
                return head;
            }
        }
        return null;
    }

    Waiter requireHead() {
        Waiter first = head();
        if (first == null) {
            throw new NoSuchElementException("nobody waits for " + account.name);
        }
        return first;
    }

    /** The one before this one, of the same priority or of a higher. */
    @Nullable
    Waiter before(Waiter waiter) {
        if (waiter.ahead != null) {
            return waiter.ahead;
        }
        for (int level = level(waiter) - 1; level >= 0; level--) {
            if (tails[level] != null) {
                return tails[level];
            }
        }
        return null;
    }

    void append(Waiter waiter) {
        int level = level(waiter);
        Waiter last = tails[level];
        waiter.queue = this;
        waiter.ahead = last;
        if (last == null) {
            heads[level] = waiter;
        } else {
            last.behind = waiter;
        }
        tails[level] = waiter;
        queued++;
        queuedExpectedNanos += waiter.expectedNanos;
    }

    /** Puts one back where it was by its arrival: before all but those that were put back, too. */
    void takeBack(Waiter waiter) {
        int level = level(waiter);
        Waiter last = null;
        Waiter next = heads[level];
        while (next != null && next.sequence < waiter.sequence) {
            last = next;
            next = next.behind;
        }
        if (next == null) {
            append(waiter);
            return;
        }
        waiter.queue = this;
        waiter.ahead = last;
        waiter.behind = next;
        next.ahead = waiter;
        if (last == null) {
            heads[level] = waiter;
        } else {
            last.behind = waiter;
        }
        queued++;
        queuedExpectedNanos += waiter.expectedNanos;
    }

    void remove(Waiter waiter) {
        int level = level(waiter);
        if (waiter.ahead == null) {
            heads[level] = waiter.behind;
        } else {
            waiter.ahead.behind = waiter.behind;
        }
        if (waiter.behind == null) {
            tails[level] = waiter.ahead;
        } else {
            waiter.behind.ahead = waiter.ahead;
        }
        waiter.queue = null;
        waiter.ahead = null;
        waiter.behind = null;
        queued--;
        // Summed up anew from zero whenever the queue empties, so that rounding does not build up.
        queuedExpectedNanos = queued == 0 ? 0 : queuedExpectedNanos - waiter.expectedNanos;
    }

    private static int level(Waiter waiter) {
        return waiter.request.priority().ordinal();
    }
}
