package dev.weir.gateway.metrics;

import dev.weir.gateway.query.SessionFigures;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
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
        Meters.gauge(
                registry, WeirMeter.SESSIONS_OPEN, sessions, now -> now.get().open());
        Meters.gauge(
                registry,
                WeirMeter.TRANSACTIONS_OPEN,
                sessions,
                now -> now.get().transactions());
        Meters.gauge(
                registry, WeirMeter.SESSIONS_PINNED, sessions, now -> now.get().pinned());
        Meters.gauge(registry, WeirMeter.PREPARED_STATEMENTS, prepared, LongSupplier::getAsLong);
        Meters.counter(
                registry,
                WeirMeter.TRANSACTIONS_IDLED,
                Tags.empty(),
                this,
                meters -> meters.sessions.get().idleEnds());
    }
}
