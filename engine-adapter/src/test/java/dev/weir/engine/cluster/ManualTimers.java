package dev.weir.engine.cluster;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/** Time that moves when a test says so; timers run on the thread that moves it. */
final class ManualTimers implements ClusterTimers, InstantSource {

    private record Due(long at, long sequence, Runnable task, AtomicBoolean cancelled) {}

    private final PriorityQueue<Due> due =
            new PriorityQueue<>(Comparator.comparingLong(Due::at).thenComparingLong(Due::sequence));
    private long now;
    private long sequence;
    private boolean closed;

    @Override
    public synchronized long nanoTime() {
        return now;
    }

    @Override
    public synchronized Instant instant() {
        return Instant.EPOCH.plusNanos(now);
    }

    @Override
    public synchronized Runnable schedule(Duration delay, Runnable task) {
        AtomicBoolean cancelled = new AtomicBoolean();
        due.add(new Due(now + delay.toNanos(), sequence++, task, cancelled));
        return () -> cancelled.set(true);
    }

    /** Runs what is due now. */
    void settle() {
        advance(Duration.ZERO);
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
                if (closed || next == null || next.at() > until) {
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

    @Override
    public synchronized void close() {
        closed = true;
    }
}
