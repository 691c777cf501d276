package dev.weir.gateway.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Counts and times the calls of Flight SQL. Thread-safe. */
public final class FlightMeters {

    private static final String OK = "ok";

    private final MeterRegistry registry;
    private final Map<String, Timer> durations = new ConcurrentHashMap<>();

    /** @param methods all that the service has */
    public FlightMeters(MeterRegistry registry, List<String> methods) {
        this.registry = registry;
        for (String method : methods) {
            durations.put(method, Meters.timer(registry, WeirMeter.FLIGHT_CALL_DURATION, Tags.of("method", method)));
            Meters.counter(registry, WeirMeter.FLIGHT_CALLS, Tags.of("method", method, "status", OK));
        }
    }

    /**
     * A call has ended. One of a method that was not announced is not counted.
     *
     * @param status the gRPC status in small letters
     */
    public void ended(String method, String status, Duration took) {
        Timer timer = durations.get(method);
        if (timer != null) {
            timer.record(took);
            Meters.counter(registry, WeirMeter.FLIGHT_CALLS, Tags.of("method", method, "status", status))
                    .increment();
        }
    }
}
