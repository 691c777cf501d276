package dev.weir.gateway.metrics;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.engine.EngineMemory;
import dev.weir.engine.QueryEngine;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;

/**
 * Gauges over an engine. Its memory is asked for in the background and no more often than every {@link #EVERY_NANOS}:
 * the question takes an engine thread, and a scrape waits for nobody. Thread-safe.
 */
final class EngineMeters {

    static final long EVERY_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final QueryEngine engine;
    private final LongSupplier clock;

    @GuardedBy("this")
    private boolean asking;

    @GuardedBy("this")
    private long askedAt;

    private volatile EngineMemory memory = EngineMemory.UNKNOWN;

    /** @param clock monotonic, in nanoseconds */
    EngineMeters(QueryEngine engine, LongSupplier clock) {
        this.engine = engine;
        this.clock = clock;
        this.askedAt = clock.getAsLong() - EVERY_NANOS;
    }

    static void register(MeterRegistry registry, QueryEngine engine) {
        new EngineMeters(engine, System::nanoTime).register(registry);
    }

    void register(MeterRegistry registry) {
        Meters.gauge(
                registry, WeirMeter.ENGINE_OPEN_RESULTS, engine, e -> e.stats().openResults());
        Meters.gauge(
                registry, WeirMeter.ENGINE_ACTIVE_CALLS, engine, e -> e.stats().activeCalls());
        Meters.gauge(
                registry,
                WeirMeter.ENGINE_UNSTOPPED_CALLS,
                engine,
                e -> e.stats().unstopped());
        Meters.gauge(
                registry, WeirMeter.ENGINE_ARROW_MEMORY, engine, e -> e.stats().arrowBytes());
        Meters.gauge(registry, WeirMeter.ENGINE_MEMORY, this, meters -> meters.look(EngineMemory::bytes));
        Meters.gauge(registry, WeirMeter.ENGINE_TEMPORARY, this, meters -> meters.look(EngineMemory::temporaryBytes));
        ask();
    }

    /** What was told last; asks again when that is old. */
    private double look(ToDoubleFunction<EngineMemory> value) {
        ask();
        EngineMemory known = memory;
        return known.equals(EngineMemory.UNKNOWN) ? Double.NaN : value.applyAsDouble(known);
    }

    private void ask() {
        synchronized (this) {
            long now = clock.getAsLong();
            if (asking || now - askedAt < EVERY_NANOS) {
                return;
            }
            asking = true;
            askedAt = now;
        }
        engine.memory().whenComplete((told, failure) -> {
            memory = failure == null ? told : EngineMemory.UNKNOWN;
            synchronized (this) {
                asking = false;
            }
        });
    }
}
