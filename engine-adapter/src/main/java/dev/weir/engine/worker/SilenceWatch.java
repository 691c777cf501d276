package dev.weir.engine.worker;

import io.grpc.SynchronizationContext;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Tells when a gateway was not heard of for too long. Used within the context of its session. */
final class SilenceWatch {

    private final SynchronizationContext sync;
    private final ScheduledExecutorService timer;
    private final long timeoutNanos;
    private final Runnable silent;
    private long heard = System.nanoTime();
    private SynchronizationContext.@Nullable ScheduledHandle pending;

    SilenceWatch(SynchronizationContext sync, ScheduledExecutorService timer, Duration timeout, Runnable silent) {
        this.sync = sync;
        this.timer = timer;
        this.timeoutNanos = timeout.toNanos();
        this.silent = silent;
    }

    void start() {
        heard();
        look(timeoutNanos);
    }

    void heard() {
        heard = System.nanoTime();
    }

    void stop() {
        if (pending != null) {
            pending.cancel();
        }
    }

    private void look(long inNanos) {
        pending = sync.schedule(this::look, inNanos, TimeUnit.NANOSECONDS, timer);
    }

    private void look() {
        long left = timeoutNanos - (System.nanoTime() - heard);
        // Goes on looking after it has told: the session stops the watch when it is through.
        look(left > 0 ? left : timeoutNanos);
        if (left <= 0) {
            silent.run();
        }
    }
}
