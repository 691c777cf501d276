package dev.weir.auth;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Delayed;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** Runs periodic tasks on the test's thread when the test moves time. */
public final class ManualScheduler extends AbstractExecutorService implements ScheduledExecutorService {

    private final List<Periodic> tasks = new ArrayList<>();
    private long nowNanos;
    private boolean shutdown;

    /** Moves time by a millisecond at a time, so that every task runs when it is due. */
    public void advance(Duration by) {
        for (long end = nowNanos + by.toNanos(); nowNanos < end; nowNanos += 1_000_000) {
            for (Periodic task : tasks) {
                if (!shutdown && nowNanos >= task.dueNanos) {
                    task.action.run();
                    task.dueNanos = nowNanos + task.delayNanos;
                }
            }
        }
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable action, long initial, long delay, TimeUnit unit) {
        Periodic task = new Periodic(action, unit.toNanos(delay), nowNanos + unit.toNanos(initial));
        tasks.add(task);
        return task;
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable action, long initial, long period, TimeUnit unit) {
        return scheduleWithFixedDelay(action, initial, period, unit);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable action, long delay, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> action, long delay, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void execute(Runnable action) {
        action.run();
    }

    @Override
    public void shutdown() {
        shutdown = true;
    }

    @Override
    public List<Runnable> shutdownNow() {
        shutdown = true;
        return List.of();
    }

    @Override
    public boolean isShutdown() {
        return shutdown;
    }

    @Override
    public boolean isTerminated() {
        return shutdown;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return shutdown;
    }

    private static final class Periodic extends CompletableFuture<Void> implements ScheduledFuture<Void> {

        private final Runnable action;
        private final long delayNanos;
        private long dueNanos;

        Periodic(Runnable action, long delayNanos, long dueNanos) {
            this.action = action;
            this.delayNanos = delayNanos;
            this.dueNanos = dueNanos;
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(delayNanos, TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
        }
    }
}
