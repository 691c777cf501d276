package dev.weir.admission;

import java.time.Duration;
import java.util.Comparator;
import java.util.TreeSet;

/** A clock and a scheduler that move only when told to. Not thread-safe. */
final class VirtualTime implements NanoClock, Scheduler {

    private record Task(long at, long sequence, Runnable action) {}

    /** Starts just before the clock's overflow, so that every test crosses it. */
    private static final long START = Long.MAX_VALUE - Duration.ofSeconds(3).toNanos();

    private final TreeSet<Task> tasks =
            new TreeSet<>(Comparator.comparingLong(Task::at).thenComparingLong(Task::sequence));
    private long elapsed;
    private long sequence;

    @Override
    public long nanoTime() {
        return START + elapsed;
    }

    @Override
    public Handle schedule(Runnable action, long delayNanos) {
        Task task = new Task(elapsed + delayNanos, sequence++, action);
        tasks.add(task);
        return () -> tasks.remove(task);
    }

    Duration elapsed() {
        return Duration.ofNanos(elapsed);
    }

    int scheduled() {
        return tasks.size();
    }

    void advance(Duration by) {
        advanceTo(elapsed + by.toNanos());
    }

    /** Moves to the next scheduled task and runs it; false when there is none. */
    boolean advanceToNextTask() {
        if (tasks.isEmpty()) {
            return false;
        }
        advanceTo(tasks.first().at);
        return true;
    }

    private void advanceTo(long end) {
        while (!tasks.isEmpty() && tasks.first().at <= end) {
            Task next = tasks.pollFirst();
            elapsed = Math.max(elapsed, next.at);
            next.action.run();
        }
        elapsed = end;
    }
}
