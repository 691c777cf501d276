package dev.weir.gateway.metrics;

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
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the meters of {@link WeirMeter}. All of them exist, at zero, from the start; every label has a fixed set of
 * values.
 */
public final class GatewayMetrics implements QueryListener {

    private static final List<QueryState> OUTCOMES =
            List.of(QueryState.FINISHED, QueryState.FAILED, QueryState.CANCELLED);

    private static final List<QueryState> PHASES = List.of(QueryState.QUEUED, QueryState.RUNNING, QueryState.STREAMING);

    private static final List<GatewayErrorCode> REJECTIONS = List.of(
            GatewayErrorCode.QUEUE_FULL,
            GatewayErrorCode.USER_LIMIT,
            GatewayErrorCode.RATE_LIMITED,
            GatewayErrorCode.QUEUE_TIMEOUT,
            GatewayErrorCode.DRAINING);

    /** Buckets that an operator can set objectives on; percentile histograms would cost hundreds of lines. */
    private static final Duration[] BUCKETS = {
        Duration.ofMillis(1),
        Duration.ofMillis(5),
        Duration.ofMillis(25),
        Duration.ofMillis(100),
        Duration.ofMillis(500),
        Duration.ofSeconds(1),
        Duration.ofSeconds(5),
        Duration.ofSeconds(30),
        Duration.ofMinutes(2),
        Duration.ofMinutes(10)
    };

    private final Map<Front, FrontMeters> fronts = new EnumMap<>(Front.class);
    private final Map<GatewayErrorCode, Counter> rejections = new EnumMap<>(GatewayErrorCode.class);
    private final Map<CancelReason, Counter> cancels = new EnumMap<>(CancelReason.class);
    private final Map<QueryState, Timer> cancelLatencies = new EnumMap<>(QueryState.class);
    private final Map<String, Counter> classes = new HashMap<>();
    private final Map<String, Counter> decisions = new HashMap<>();

    public GatewayMetrics(MeterRegistry registry) {
        for (Front front : Front.values()) {
            fronts.put(front, new FrontMeters(registry, front));
        }
        for (GatewayErrorCode code : REJECTIONS) {
            rejections.put(code, counter(registry, WeirMeter.REJECTIONS, Tags.of("reason", label(code))));
        }
        for (CancelReason reason : CancelReason.values()) {
            cancels.put(reason, counter(registry, WeirMeter.CANCELS, Tags.of("reason", reason.label())));
        }
        for (QueryState phase : PHASES) {
            cancelLatencies.put(phase, timer(registry, WeirMeter.CANCEL_LATENCY, Tags.of("phase", label(phase))));
        }
        for (QueryClass queryClass : QueryClass.values()) {
            String name = label(queryClass);
            classes.put(name, counter(registry, WeirMeter.CLASSES, Tags.of("class", name)));
        }
        for (AdmissionTrail.Decision decision : AdmissionTrail.Decision.values()) {
            for (String label : labels(decision)) {
                decisions.put(label, counter(registry, WeirMeter.DECISIONS, Tags.of("decision", label)));
            }
        }
    }

    /** Adds the gauges over the parts that exist once the gateway is put together. */
    public void observe(
            MeterRegistry registry,
            AdmissionController admission,
            QueryEngine engine,
            Supplier<List<QuerySnapshot>> live,
            Supplier<Boolean> ready) {
        new AdmissionGauges(registry, admission, System::nanoTime).register();
        gauge(
                registry,
                WeirMeter.QUERIES_CANCELLING,
                live,
                queries -> queries.get().stream()
                        .filter(query -> query.state() == QueryState.CANCELLING)
                        .count());
        gauge(
                registry,
                WeirMeter.CANCELLING_AGE,
                live,
                queries -> queries.get().stream()
                                .filter(query -> query.state() == QueryState.CANCELLING)
                                .map(QuerySnapshot::cancelling)
                                .filter(Objects::nonNull)
                                .mapToLong(Duration::toMillis)
                                .max()
                                .orElse(0)
                        / 1e3);
        engine(registry, engine);
        gauge(registry, WeirMeter.READY, ready, r -> r.get() ? 1 : 0);
    }

    /** Gauges over an engine. */
    static void engine(MeterRegistry registry, QueryEngine engine) {
        gauge(registry, WeirMeter.ENGINE_OPEN_RESULTS, engine, e -> e.stats().openResults());
        gauge(registry, WeirMeter.ENGINE_ACTIVE_CALLS, engine, e -> e.stats().activeCalls());
        gauge(registry, WeirMeter.ENGINE_UNSTOPPED_CALLS, engine, e -> e.stats().unstopped());
        gauge(registry, WeirMeter.ENGINE_ARROW_MEMORY, engine, e -> e.stats().arrowBytes());
    }

    /** A grant is told with its place, since the two mean different things to whoever sets limits. */
    private static List<String> labels(AdmissionTrail.Decision decision) {
        return decision == AdmissionTrail.Decision.GRANTED
                ? List.of(decision.label() + "_short", decision.label() + "_all")
                : List.of(decision.label());
    }

    @Override
    public void decided(String queryId, AdmissionTrail.Step step) {
        String place = step.place();
        String label = step.decision().label() + (place == null ? "" : "_" + place);
        Objects.requireNonNull(decisions.get(label), label).increment();
    }

    @Override
    public void done(QuerySnapshot query) {
        FrontMeters front = Objects.requireNonNull(fronts.get(query.front()));
        front.done(query);
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

    private static String label(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    static Counter counter(MeterRegistry registry, WeirMeter meter, Tags tags) {
        return Counter.builder(meter.meterName())
                .baseUnit(meter.unit().isEmpty() ? null : meter.unit())
                .description(meter.help())
                .tags(tags)
                .register(registry);
    }

    private static Timer timer(MeterRegistry registry, WeirMeter meter, Tags tags) {
        return Timer.builder(meter.meterName())
                .description(meter.help())
                .tags(tags)
                .serviceLevelObjectives(BUCKETS)
                .register(registry);
    }

    static <T> void gauge(MeterRegistry registry, WeirMeter meter, T source, ToDoubleFunction<T> value) {
        Gauge.builder(meter.meterName(), source, value)
                .baseUnit(meter.unit().isEmpty() ? null : meter.unit())
                .description(meter.help())
                .strongReference(true)
                .register(registry);
    }

    /** The meters of one front. */
    private static final class FrontMeters {

        private final Map<QueryState, Counter> queries = new EnumMap<>(QueryState.class);
        private final Map<QueryState, Timer> durations = new EnumMap<>(QueryState.class);
        private final Map<GatewayErrorCode, Counter> errors = new EnumMap<>(GatewayErrorCode.class);
        private final Timer queueWait;
        private final Counter paused;
        private final Counter rows;
        private final Counter bytes;

        FrontMeters(MeterRegistry registry, Front front) {
            Tags tags = Tags.of("front", front.label());
            for (QueryState outcome : OUTCOMES) {
                Tags outcomeTags = tags.and("outcome", label(outcome));
                queries.put(outcome, counter(registry, WeirMeter.QUERIES, outcomeTags));
                durations.put(outcome, timer(registry, WeirMeter.DURATION, outcomeTags));
            }
            for (GatewayErrorCode code : GatewayErrorCode.values()) {
                errors.put(code, counter(registry, WeirMeter.ERRORS, tags.and("code", label(code))));
            }
            queueWait = timer(registry, WeirMeter.QUEUE_WAIT, tags);
            paused = counter(registry, WeirMeter.PAUSED_TIME, tags);
            rows = counter(registry, WeirMeter.ROWS, tags);
            bytes = counter(registry, WeirMeter.BYTES, tags);
        }

        void done(QuerySnapshot query) {
            Objects.requireNonNull(queries.get(query.state())).increment();
            Objects.requireNonNull(durations.get(query.state()))
                    .record(query.queued().plus(query.running()));
            queueWait.record(query.queued());
            paused.increment(query.admission().paused().toNanos() / 1e9);
            rows.increment((double) query.rows());
            bytes.increment((double) query.bytes());
            GatewayErrorCode code = query.error();
            if (code != null) {
                Objects.requireNonNull(errors.get(code)).increment();
            }
        }
    }
}
