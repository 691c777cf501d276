package dev.weir.gateway.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.admission.Admission;
import dev.weir.admission.AdmissionController;
import dev.weir.admission.AdmissionControllers;
import dev.weir.admission.AdmissionLimits;
import dev.weir.admission.AdmissionListener;
import dev.weir.admission.AdmissionRequest;
import dev.weir.admission.GroupLimits;
import dev.weir.engine.StatementKind;
import dev.weir.gateway.query.AdmissionTrail;
import dev.weir.gateway.query.CancelReason;
import dev.weir.gateway.query.Front;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.QuerySnapshot;
import dev.weir.gateway.query.QueryState;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class GatewayMetricsTest {

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final GatewayMetrics metrics = new GatewayMetrics(registry, 2);
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

    @AfterEach
    void close() {
        timer.shutdownNow();
    }

    @Test
    void cancelsAreTimedByThePhaseInWhichTheyFoundTheQuery() {
        metrics.done(cancelled(QueryState.QUEUED, 1));
        metrics.done(cancelled(QueryState.RUNNING, 2));
        metrics.done(cancelled(QueryState.STREAMING, 3));
        metrics.done(cancelled(QueryState.PAUSED, 4));
        assertThat(latency("queued")).isEqualTo(1);
        assertThat(latency("running")).isEqualTo(2);
        assertThat(latency("streaming")).isEqualTo(7);
    }

    @Test
    void admittedQueriesAreCountedByClass() {
        metrics.done(query(QueryState.FINISHED, "short", 100, null, null, null));
        metrics.done(query(QueryState.FINISHED, "heavy", 100, null, null, null));
        metrics.done(query(QueryState.FAILED, "heavy", 0, null, null, GatewayErrorCode.RATE_LIMITED));
        assertThat(count("short")).isEqualTo(1);
        assertThat(count("heavy")).as("one was refused").isEqualTo(1);
        assertThat(registry.get("weir.admission.rejections")
                        .tag("reason", "rate_limited")
                        .counter()
                        .count())
                .isEqualTo(1);
    }

    @Test
    void everyDecisionOfAdmissionIsCounted() {
        for (AdmissionTrail.Decision decision : AdmissionTrail.Decision.values()) {
            String place = decision == AdmissionTrail.Decision.GRANTED ? "short" : null;
            metrics.decided("q", new AdmissionTrail.Step(decision, Duration.ZERO, place, null));
        }
        metrics.decided(
                "q", new AdmissionTrail.Step(AdmissionTrail.Decision.OVERRAN, Duration.ofMillis(250), null, null));
        assertThat(decisions("granted_short")).isEqualTo(1);
        assertThat(decisions("granted_all")).isZero();
        assertThat(decisions("paused")).isEqualTo(1);
        assertThat(decisions("resumed")).isEqualTo(1);
        assertThat(decisions("overran")).isEqualTo(2);
    }

    @Test
    void timeWithoutASlotIsSummedWhenQueriesEnd() {
        metrics.done(query(QueryState.FINISHED, "heavy", 100, null, null, null));
        metrics.done(query(QueryState.FINISHED, "heavy", 100, null, null, null));
        assertThat(registry.get("weir.query.paused")
                        .tag("front", "http")
                        .counter()
                        .count())
                .isEqualTo(3);
    }

    @Test
    void rowsAreCountedByFormatAndThoseLoadedApart() {
        metrics.done(given(null, "csv", 3));
        metrics.done(given(null, null, 5));
        metrics.done(given(StatementKind.INGEST, null, 7));
        assertThat(rows("csv")).isEqualTo(3);
        assertThat(rows("arrow")).isEqualTo(5);
        assertThat(registry.get("weir.ingest.rows")
                        .tag("front", "http")
                        .counter()
                        .count())
                .isEqualTo(7);
    }

    private double rows(String format) {
        return registry.get("weir.query.rows")
                .tags("front", "http", "format", format)
                .counter()
                .count();
    }

    private double decisions(String decision) {
        return registry.get("weir.admission.decisions")
                .tag("decision", decision)
                .counter()
                .count();
    }

    @Test
    void gaugesOfAGroupComeWithItsLimits() {
        AdmissionLimits flat = AdmissionLimits.flat(2, 9, Duration.ofSeconds(60), 1000, 100, 1000, 2, 9);
        AdmissionController admission = AdmissionControllers.create(flat, timer, timer, AdmissionListener.NONE);
        AtomicLong now = new AtomicLong();
        new AdmissionGauges(registry, admission, now::get).register();
        assertThat(gauge("weir.queries.running")).isZero();
        Admission asked = admission.admit(
                new AdmissionRequest("q", "ann", List.of(), 1, OptionalLong.empty(), Duration.ofSeconds(1)));
        assertThat(asked.permit().toCompletableFuture()).isDone();
        assertThat(gauge("weir.queries.running")).as("still the same scrape").isZero();
        now.addAndGet(TimeUnit.SECONDS.toNanos(1));
        assertThat(gauge("weir.queries.running")).isEqualTo(1);
        assertThat(gauge("weir.memory.reserved")).isEqualTo(100);
        assertThat(registry.find("weir.queries.waiting").gauges())
                .extracting(gauge -> gauge.getId().getTag("reason"))
                .contains("max_running", "group_memory", "held", "workers");

        Map<String, GroupLimits> groups = new HashMap<>(flat.groups());
        groups.put("etl", flat.group("etl"));
        admission.update(new AdmissionLimits(2, 9, 0, Duration.ofMillis(250), 0, 1000, null, groups));
        now.addAndGet(TimeUnit.SECONDS.toNanos(1));
        gauge("weir.queries.running");
        assertThat(registry.get("weir.group.running")
                        .tag("group", "etl")
                        .gauge()
                        .value())
                .isZero();
    }

    private double latency(String phase) {
        return registry.get("weir.query.cancel.latency")
                .tag("phase", phase)
                .timer()
                .totalTime(TimeUnit.SECONDS);
    }

    private double count(String queryClass) {
        return registry.get("weir.query.classes")
                .tag("class", queryClass)
                .counter()
                .count();
    }

    private double gauge(String name) {
        return registry.get(name).gauge().value();
    }

    private static QuerySnapshot cancelled(QueryState in, long seconds) {
        return query(QueryState.CANCELLED, "short", 100, in, Duration.ofSeconds(seconds), null);
    }

    private static QuerySnapshot query(
            QueryState state,
            String queryClass,
            long reserved,
            @Nullable QueryState cancelledIn,
            @Nullable Duration cancelling,
            @Nullable GatewayErrorCode error) {
        return snapshot(state, queryClass, reserved, cancelledIn, cancelling, error, null, null, 0);
    }

    private static QuerySnapshot given(@Nullable StatementKind kind, @Nullable String format, long rows) {
        return snapshot(QueryState.FINISHED, "short", 100, null, null, null, kind, format, rows);
    }

    private static QuerySnapshot snapshot(
            QueryState state,
            String queryClass,
            long reserved,
            @Nullable QueryState cancelledIn,
            @Nullable Duration cancelling,
            @Nullable GatewayErrorCode error,
            @Nullable StatementKind kind,
            @Nullable String format,
            long rows) {
        return new QuerySnapshot(
                "q",
                "ann",
                Front.HTTP,
                state,
                kind,
                0,
                Instant.EPOCH,
                Duration.ZERO,
                Duration.ZERO,
                rows,
                0,
                0,
                reserved,
                "default",
                queryClass,
                null,
                new AdmissionTrail(List.of(), 1, Duration.ofMillis(1500), false),
                null,
                null,
                null,
                null,
                cancelledIn == null ? null : CancelReason.CLIENT_CANCEL,
                cancelledIn,
                cancelling,
                error,
                null,
                null,
                Map.of(),
                format);
    }
}
