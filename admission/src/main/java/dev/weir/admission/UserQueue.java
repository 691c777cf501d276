package dev.weir.admission;

import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * One user: what the user runs, the user's waiters in order of arrival, and the user's place in virtual time. Waiters
 * are linked through themselves, so that one in the middle leaves in constant time.
 *
 * <p>Guarded by the controller's lock.
 */
final class UserQueue {

    final String name;

    int running;
    long reservedBytes;

    /**
     * Virtual time up to which the user has been served; where the next query starts. Changed only while the user is
     * out of the order of turns.
     */
    double virtualNanos;

    /** Whether the user stands in the order of turns, and the arrival of its head when it was put there. */
    boolean inTurn;

    long turnSequence;
    long turnBytes;

    private @Nullable Waiter head;
    private @Nullable Waiter tail;
    private int queued;
    private double queuedExpectedNanos;

    UserQueue(String name, double virtualNanos) {
        this.name = name;
        this.virtualNanos = virtualNanos;
    }

    int queued() {
        return queued;
    }

    boolean isIdle() {
        return running == 0 && queued == 0;
    }

    /** Mean of the expected run times of those that wait; 0 when none does. */
    double meanExpectedNanos() {
        return queued == 0 ? 0 : queuedExpectedNanos / queued;
    }

    @Nullable
    Waiter head() {
        return head;
    }

    Waiter requireHead() {
        Waiter first = head;
        if (first == null) {
            throw new NoSuchElementException("nobody waits for " + name);
        }
        return first;
    }

    void append(Waiter waiter) {
        waiter.queue = this;
        waiter.ahead = tail;
        if (tail == null) {
            head = waiter;
        } else {
            tail.behind = waiter;
        }
        tail = waiter;
        queued++;
        queuedExpectedNanos += waiter.expectedNanos;
    }

    void remove(Waiter waiter) {
        if (waiter.ahead == null) {
            head = waiter.behind;
        } else {
            waiter.ahead.behind = waiter.behind;
        }
        if (waiter.behind == null) {
            tail = waiter.ahead;
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
}
