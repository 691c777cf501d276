package dev.weir.admission;

import java.time.Duration;
import java.util.Comparator;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Queries that the engine sent back because every place there is taken, and what that means to others: the next one
 * would be sent back as well, so until the longest backoff is over a slot is given only for each permit that was closed
 * since, whose place in the engine came free. Invariants between two calls: whoever is in here waits, and once only;
 * nobody is held after its moment.
 *
 * <p>Guarded by the controller's lock.
 */
final class Backoffs {

    /** More than any caller means; keeps the clock's arithmetic safe. */
    private static final Duration LONGEST = Duration.ofDays(1);

    private static final Comparator<Waiter> BY_TIME = (left, right) -> {
        long difference = left.notBeforeNanos - right.notBeforeNanos;
        return difference == 0 ? Long.compare(left.sequence, right.sequence) : Long.signum(difference);
    };

    private final NavigableSet<Waiter> waiters = new TreeSet<>(BY_TIME);

    /** Until when the engine is taken for full; null when it is not. */
    private @Nullable Long fullUntil;

    /** Permits closed since the engine was full, less those granted since. */
    private int freed;

    /** The engine sent this one back. */
    void add(Waiter waiter, Duration backoff, long now) {
        long nanos = (backoff.compareTo(LONGEST) < 0 ? backoff : LONGEST).toNanos();
        if (nanos <= 0) {
            return;
        }
        waiter.notBeforeNanos = now + nanos;
        waiter.backsOff = true;
        waiters.add(waiter);
        Long until = fullUntil;
        if (until == null) {
            freed = 0;
        }
        fullUntil = until == null || until - waiter.notBeforeNanos < 0 ? Long.valueOf(waiter.notBeforeNanos) : until;
    }

    void remove(Waiter waiter) {
        if (waiter.backsOff) {
            waiters.remove(waiter);
            waiter.backsOff = false;
        }
    }

    /** Lets go of all whose moment has come. */
    void expire(long now) {
        while (!waiters.isEmpty() && waiters.first().notBeforeNanos - now <= 0) {
            remove(waiters.first());
        }
        Long until = fullUntil;
        if (until != null && until - now <= 0) {
            fullUntil = null;
        }
    }

    /** Whether the engine may have a place for one more. */
    boolean engineMayHavePlace() {
        return fullUntil == null || freed > 0;
    }

    /** A place in the engine came free. */
    void freed() {
        freed++;
    }

    /** Somebody is on the way to the engine. */
    void granted() {
        freed = Math.max(0, freed - 1);
    }

    /** When time alone lets somebody go on; null when nobody is held. */
    @Nullable
    Long next() {
        return waiters.isEmpty() ? fullUntil : Long.valueOf(waiters.first().notBeforeNanos);
    }

    /** How long a query is held at most, in nanoseconds from 0. */
    long heldNanos(Waiter waiter, long now) {
        Long until = fullUntil;
        long engine = until == null || engineMayHavePlace() ? 0 : until - now;
        return Math.max(0, Math.max(engine, waiter.backsOff ? waiter.notBeforeNanos - now : 0));
    }
}
