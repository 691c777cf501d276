package dev.weir.gateway.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.function.LongSupplier;

/** Meters over parts of the process that are no queries. Suppliers are asked in each scrape; they must not block. */
public final class ProcessMeters {

    private ProcessMeters() {}

    /** What runs: of a build that knows neither, both are {@code unknown}. */
    public static void build(MeterRegistry registry, String version, String commit) {
        Meters.gauge(
                registry, WeirMeter.BUILD, Tags.of("version", version, "commit", commit), Boolean.TRUE, always -> 1);
    }

    /** @param secondsLeft until the certificate in force ends; negative after that */
    public static void certificate(MeterRegistry registry, LongSupplier secondsLeft) {
        Meters.gauge(registry, WeirMeter.CERTIFICATE_EXPIRY, secondsLeft, LongSupplier::getAsLong);
    }

    /**
     * @param uploads bytes of uploads that are held
     * @param flightArrow Arrow memory of the Flight SQL front, in bytes
     */
    public static void fronts(MeterRegistry registry, LongSupplier uploads, LongSupplier flightArrow) {
        Meters.gauge(registry, WeirMeter.INGEST_HELD, uploads, LongSupplier::getAsLong);
        Meters.gauge(registry, WeirMeter.FLIGHT_ARROW_MEMORY, flightArrow, LongSupplier::getAsLong);
    }
}
