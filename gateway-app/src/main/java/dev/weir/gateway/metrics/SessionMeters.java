package dev.weir.gateway.metrics;

import dev.weir.gateway.query.SessionFigures;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Meters of sessions, their transactions and prepared statements. The registry does not keep it: whoever makes it does. */
public final class SessionMeters {

    private final Supplier<SessionFigures> sessions;

    /**
     * @param sessions asked with every scrape
     * @param prepared open prepared statements, likewise
     */
    public SessionMeters(MeterRegistry registry, Supplier<SessionFigures> sessions, LongSupplier prepared) {
        this.sessions = sessions;
        GatewayMetrics.gauge(
                registry, WeirMeter.SESSIONS_OPEN, sessions, now -> now.get().open());
        GatewayMetrics.gauge(
                registry,
                WeirMeter.TRANSACTIONS_OPEN,
                sessions,
                now -> now.get().transactions());
        GatewayMetrics.gauge(
                registry, WeirMeter.SESSIONS_PINNED, sessions, now -> now.get().pinned());
        GatewayMetrics.gauge(registry, WeirMeter.PREPARED_STATEMENTS, prepared, LongSupplier::getAsLong);
        FunctionCounter.builder(
                        WeirMeter.TRANSACTIONS_IDLED.meterName(),
                        this,
                        meters -> meters.sessions.get().idleEnds())
                .description(WeirMeter.TRANSACTIONS_IDLED.help())
                .register(registry);
    }
}
