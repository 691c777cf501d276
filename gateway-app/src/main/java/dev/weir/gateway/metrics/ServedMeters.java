package dev.weir.gateway.metrics;

import dev.weir.engine.QueryEngine;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/** The meters of a worker process. */
public final class ServedMeters {

    private ServedMeters() {}

    /**
     * @param running queries under way for gateways
     */
    public static void register(
            MeterRegistry registry, QueryEngine engine, IntSupplier running, Supplier<Boolean> ready) {
        Meters.gauge(registry, WeirMeter.SERVED_RUNNING, running, IntSupplier::getAsInt);
        EngineMeters.register(registry, engine);
        Meters.gauge(registry, WeirMeter.READY, ready, r -> r.get() ? 1 : 0);
    }
}
