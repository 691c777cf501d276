package dev.weir.gateway.config;

import dev.weir.gateway.query.Timers;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Whether the gateway takes queries: warmed, not draining, and the engine answered its last check (one of the workers,
 * where there are workers). The engine is asked every second, never by the probe itself, so that probes cost nothing and
 * cannot hang.
 */
final class Readiness {

    private static final Duration CHECK_EVERY = Duration.ofSeconds(1);

    /** An engine that was not heard of for this long is not ready; checks share its threads with long queries. */
    private static final Duration STALE = Duration.ofSeconds(10);

    private final Supplier<CompletionStage<Boolean>> engine;
    private final Timers timers;
    private volatile boolean open;
    private volatile boolean stopped;
    private volatile boolean draining;
    private volatile boolean answered;
    private volatile long answeredAt;

    /** @param engine asks whether it answers */
    Readiness(Supplier<CompletionStage<Boolean>> engine, Timers timers) {
        this.engine = engine;
        this.timers = timers;
    }

    /** Both fronts are warm: begins to check the engine, and to be ready when it answers. */
    void open() {
        open = true;
        check();
    }

    /** Not ready any more, for good. */
    void close() {
        stopped = true;
        open = false;
    }

    /** Whether the warm-up is over and no stop has begun. */
    boolean isOpen() {
        return open;
    }

    /** Not ready while it drains. */
    void draining(boolean now) {
        draining = now;
    }

    boolean isReady() {
        return open && !draining && answered && timers.nanoTime() - answeredAt < STALE.toNanos();
    }

    /** Why it is not ready, for the health endpoint. */
    String state() {
        if (stopped || draining) {
            return "draining";
        }
        if (!open) {
            return "starting";
        }
        return isReady() ? "ready" : "engine does not answer";
    }

    private void check() {
        engine.get().whenComplete((answer, thrown) -> {
            answered = Boolean.TRUE.equals(answer);
            if (answered) {
                answeredAt = timers.nanoTime();
            }
            if (!stopped) {
                timers.schedule(CHECK_EVERY, this::check);
            }
        });
    }
}
