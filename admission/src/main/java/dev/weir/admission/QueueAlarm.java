package dev.weir.admission;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * One alarm for all deadlines: it is set for the earliest, and whoever it wakes sets it for the next. So a thousand
 * waiters that come and go leave one task with the scheduler, not a thousand cancelled ones. It may ring too early (the
 * waiter it was set for has gone), never too late.
 *
 * <p>Has a lock of its own because the scheduler is foreign code; never called with the controller's lock held.
 */
final class QueueAlarm {

    private final NanoClock clock;
    private final Scheduler scheduler;
    private final Runnable onRing;

    @GuardedBy("this")
    private @Nullable Setting current;

    QueueAlarm(NanoClock clock, Scheduler scheduler, Runnable onRing) {
        this.clock = clock;
        this.scheduler = scheduler;
        this.onRing = onRing;
    }

    /** Makes sure that it rings at the deadline or before. False when the scheduler was shut down. */
    synchronized boolean setFor(long deadlineNanos) {
        Setting before = current;
        if (before != null && before.deadlineNanos - deadlineNanos <= 0) {
            return true;
        }
        Setting setting = new Setting(deadlineNanos);
        try {
            setting.handle = scheduler.schedule(() -> ring(setting), Math.max(0, deadlineNanos - clock.nanoTime()));
        } catch (RejectedExecutionException shutDown) {
            return false;
        }
        current = setting;
        if (before != null && before.handle != null) {
            before.handle.cancel();
        }
        return true;
    }

    private void ring(Setting setting) {
        synchronized (this) {
            if (current == setting) {
                current = null;
            }
        }
        onRing.run();
    }

    private static final class Setting {

        final long deadlineNanos;
        Scheduler.@Nullable Handle handle;

        Setting(long deadlineNanos) {
            this.deadlineNanos = deadlineNanos;
        }
    }
}
