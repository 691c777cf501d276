package dev.weir.gateway.cli.simulate;

import dev.weir.admission.NanoClock;
import dev.weir.admission.Scheduler;
import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Virtual time: jumps from one event to the next. Starts at 0. Events of the same moment run in the order in which they
 * were scheduled, so that a run can be repeated exactly. Not thread-safe.
 */
final class EventClock implements NanoClock, Scheduler {

    /** Told when time moves on, after all that happened at the moment that is left. */
    @FunctionalInterface
    interface Passage {
        void passes(long fromNanos, long toNanos);
    }

    private final PriorityQueue<Event> events = new PriorityQueue<>(
            Comparator.<Event>comparingLong(event -> event.at).thenComparingLong(event -> event.sequence));
    private final Passage passage;
    private long now;
    private long sequence;

    EventClock(Passage passage) {
        this.passage = passage;
    }

    /** Nanoseconds since the start. */
    @Override
    public long nanoTime() {
        return now;
    }

    /** @param delayNanos at least 0; an event further away than the clock can count never runs */
    @Override
    public Handle schedule(Runnable task, long delayNanos) {
        if (delayNanos < 0) {
            throw new IllegalArgumentException("delay " + delayNanos);
        }
        if (delayNanos > Long.MAX_VALUE - now) {
            return () -> {};
        }
        Event event = new Event(now + delayNanos, sequence++, task);
        events.add(event);
        // It stays in the heap until its time comes: taking it out would cost a look at all others.
        return () -> event.task = null;
    }

    /** Runs events until there are none, or the next is later than the end, to which time then moves. */
    void runUntil(long endNanos) {
        for (Event next = events.peek(); next != null && next.at <= endNanos; next = events.peek()) {
            events.remove();
            Runnable task = next.task;
            if (task != null) {
                moveTo(next.at);
                task.run();
            }
        }
        if (!events.isEmpty()) {
            moveTo(endNanos);
        }
    }

    private void moveTo(long nanos) {
        if (nanos > now) {
            passage.passes(now, nanos);
            now = nanos;
        }
    }

    private static final class Event {

        final long at;
        final long sequence;

        @Nullable
        Runnable task;

        Event(long at, long sequence, Runnable task) {
            this.at = at;
            this.sequence = sequence;
            this.task = task;
        }
    }
}
