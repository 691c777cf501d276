package dev.weir.gateway.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.gateway.query.SessionFigures;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class SessionMetersTest {

    @Test
    void eachScrapeShowsTheFiguresOfItsMoment() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        AtomicReference<SessionFigures> now = new AtomicReference<>(new SessionFigures(5, 3, 4, 0));
        AtomicLong prepared = new AtomicLong(7);
        SessionMeters meters = new SessionMeters(registry, now::get, prepared::get);

        assertThat(registry.get("weir.sessions.open").gauge().value()).isEqualTo(5);
        assertThat(registry.get("weir.transactions.open").gauge().value()).isEqualTo(3);
        assertThat(registry.get("weir.sessions.pinned").gauge().value()).isEqualTo(4);
        assertThat(registry.get("weir.prepared.statements.open").gauge().value())
                .isEqualTo(7);
        now.set(new SessionFigures(0, 0, 0, 2));
        prepared.set(0);
        assertThat(registry.get("weir.sessions.open").gauge().value()).isZero();
        assertThat(registry.get("weir.prepared.statements.open").gauge().value())
                .isZero();
        assertThat(registry.get("weir.transactions.idled").functionCounter().count())
                .isEqualTo(2);
        assertThat(meters).isNotNull();
    }
}
