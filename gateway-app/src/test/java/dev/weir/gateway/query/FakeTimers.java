package dev.weir.gateway.query;

import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/** Time that moves when a test says so; timers run on the thread that moves it. */
final class FakeTimers implements Timers {

    private record Due(long at, long sequence, Runnable task, AtomicBoolean cancelled) {}

    private final PriorityQueue<Due> due =
            new PriorityQueue<>(Comparator.comparingLong(Due::at).thenComparingLong(Due::sequence));
    private long now;
    private long sequence;

    @Override
    public synchronized long nanoTime() {
        return now;
    }

    @Override
    public synchronized Timer schedule(Duration delay, Runnable task) {
        AtomicBoolean cancelled = new AtomicBoolean();
        due.add(new Due(now + delay.toNanos(), sequence++, task, cancelled));
        return () -> cancelled.set(true);
    }

    void advance(Duration by) {
        long until;
        synchronized (this) {
            until = now + by.toNanos();
        }
        while (true) {
            Due next;
            synchronized (this) {
                next = due.peek();
                if (next == null || next.at() > until) {
                    now = until;
                    return;
                }
                due.poll();
                now = Math.max(now, next.at());
            }
            if (!next.cancelled().get()) {
                next.task().run();
            }
        }
    }
}
