package dev.weir.gateway.metrics;

import static dev.weir.gateway.metrics.Meters.label;

import dev.weir.admission.AdmissionController;
import dev.weir.admission.QueryClass;
import dev.weir.engine.QueryEngine;
import dev.weir.gateway.query.AdmissionTrail;
import dev.weir.gateway.query.CancelReason;
import dev.weir.gateway.query.Front;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.QueryListener;
import dev.weir.gateway.query.QuerySnapshot;
import dev.weir.gateway.query.QueryState;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the meters of queries. All of them exist, at zero, from the start; every label has a fixed set of values, but
 * for users, of whom so many have meters of their own as are allowed.
 */
public final class GatewayMetrics implements QueryListener {

    static final List<QueryState> OUTCOMES = List.of(QueryState.FINISHED, QueryState.FAILED, QueryState.CANCELLED);

    private static final List<QueryState> PHASES = List.of(QueryState.QUEUED, QueryState.RUNNING, QueryState.STREAMING);

    private static final List<GatewayErrorCode> REJECTIONS = List.of(
            GatewayErrorCode.QUEUE_FULL,
            GatewayErrorCode.USER_LIMIT,
            GatewayErrorCode.RATE_LIMITED,
            GatewayErrorCode.QUEUE_TIMEOUT,
            GatewayErrorCode.DRAINING);

    private final MeterRegistry registry;
    private final UserMeters users;
    private final Map<Front, FrontMeters> fronts = new EnumMap<>(Front.class);
    private final Map<GatewayErrorCode, Counter> rejections = new EnumMap<>(GatewayErrorCode.class);
    private final Map<CancelReason, Counter> cancels = new EnumMap<>(CancelReason.class);
    private final Map<QueryState, Timer> cancelLatencies = new EnumMap<>(QueryState.class);
    private final Map<String, Counter> classes = new HashMap<>();
    private final Map<String, Counter> decisions = new HashMap<>();

    /** @param mostUsers users with meters of their own */
    public GatewayMetrics(MeterRegistry registry, int mostUsers) {
        this.registry = registry;
        this.users = new UserMeters(registry, mostUsers, System::nanoTime);
        for (Front front : Front.values()) {
            fronts.put(front, new FrontMeters(registry, front));
        }
        for (GatewayErrorCode code : REJECTIONS) {
            rejections.put(code, Meters.counter(registry, WeirMeter.REJECTIONS, Tags.of("reason", label(code))));
        }
        for (CancelReason reason : CancelReason.values()) {
            cancels.put(reason, Meters.counter(registry, WeirMeter.CANCELS, Tags.of("reason", reason.label())));
        }
        for (QueryState phase : PHASES) {
            cancelLatencies.put(
                    phase, Meters.timer(registry, WeirMeter.CANCEL_LATENCY, Tags.of("phase", label(phase))));
        }
        for (QueryClass queryClass : QueryClass.values()) {
            String name = label(queryClass);
            classes.put(name, Meters.counter(registry, WeirMeter.CLASSES, Tags.of("class", name)));
        }
        for (AdmissionTrail.Decision decision : AdmissionTrail.Decision.values()) {
            for (String label : labels(decision)) {
                decisions.put(label, Meters.counter(registry, WeirMeter.DECISIONS, Tags.of("decision", label)));
            }
        }
    }

    /** Adds the gauges over the parts that exist once the gateway is put together. */
    public void observe(
            AdmissionController admission,
            QueryEngine engine,
            Supplier<List<QuerySnapshot>> live,
            Supplier<Boolean> ready) {
        AdmissionGauges gauges = new AdmissionGauges(registry, admission, System::nanoTime);
        gauges.register();
        users.observe(gauges::now);
        Meters.gauge(
                registry,
                WeirMeter.QUERIES_CANCELLING,
                live,
                queries -> queries.get().stream()
                        .filter(query -> query.state() == QueryState.CANCELLING)
                        .count());
        Meters.gauge(registry, WeirMeter.CANCELLING_AGE, live, GatewayMetrics::oldestCancel);
        EngineMeters.register(registry, engine);
        Meters.gauge(registry, WeirMeter.READY, ready, r -> r.get() ? 1 : 0);
    }

    private static double oldestCancel(Supplier<List<QuerySnapshot>> live) {
        return live.get().stream()
                        .filter(query -> query.state() == QueryState.CANCELLING)
                        .map(QuerySnapshot::cancelling)
                        .filter(Objects::nonNull)
                        .mapToLong(Duration::toMillis)
                        .max()
                        .orElse(0)
                / 1e3;
    }

    /** A grant is told with its place, since the two mean different things to whoever sets limits. */
    private static List<String> labels(AdmissionTrail.Decision decision) {
        return decision == AdmissionTrail.Decision.GRANTED
                ? List.of(decision.label() + "_short", decision.label() + "_all")
                : List.of(decision.label());
    }

    @Override
    public void submitted(QuerySnapshot query) {
        users.submitted(query.user());
    }

    @Override
    public void decided(String queryId, AdmissionTrail.Step step) {
        String place = step.place();
        String label = step.decision().label() + (place == null ? "" : "_" + place);
        Objects.requireNonNull(decisions.get(label), label).increment();
    }

    @Override
    public void done(QuerySnapshot query) {
        Objects.requireNonNull(fronts.get(query.front())).done(query);
        users.done(query);
        GatewayErrorCode code = query.error();
        if (code != null) {
            Counter rejected = rejections.get(code);
            if (rejected != null) {
                rejected.increment();
            }
        }
        CancelReason reason = query.cancelReason();
        if (reason != null) {
            Objects.requireNonNull(cancels.get(reason)).increment();
        }
        Duration cancelling = query.cancelling();
        if (cancelling != null) {
            Objects.requireNonNull(cancelLatencies.get(phase(query.cancelledIn())))
                    .record(cancelling);
        }
        Counter ofClass = query.reservedBytes() == 0 ? null : classes.get(String.valueOf(query.queryClass()));
        if (ofClass != null) {
            ofClass.increment();
        }
    }

    /** A query that is paused streams, only slowly. */
    private static QueryState phase(@Nullable QueryState cancelledIn) {
        if (cancelledIn == QueryState.PAUSED) {
            return QueryState.STREAMING;
        }
        return cancelledIn != null && PHASES.contains(cancelledIn) ? cancelledIn : QueryState.RUNNING;
    }
}
