package dev.weir.gateway.metrics;

import static dev.weir.gateway.metrics.Meters.label;

import dev.weir.engine.StatementKind;
import dev.weir.gateway.query.Front;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.QuerySnapshot;
import dev.weir.gateway.query.QueryState;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The meters of one front's queries. */
final class FrontMeters {

    private static final String ARROW = "arrow";

    private final Map<QueryState, Counter> queries = new EnumMap<>(QueryState.class);
    private final Map<QueryState, Timer> durations = new EnumMap<>(QueryState.class);
    private final Map<GatewayErrorCode, Counter> errors = new EnumMap<>(GatewayErrorCode.class);
    private final Map<String, Counter> rows = new HashMap<>();
    private final Map<String, Counter> bytes = new HashMap<>();
    private final Timer queueWait;
    private final Counter paused;
    private final Counter loadedRows;
    private final Counter loadedBytes;

    FrontMeters(MeterRegistry registry, Front front) {
        Tags tags = Tags.of("front", front.label());
        for (QueryState outcome : GatewayMetrics.OUTCOMES) {
            Tags outcomeTags = tags.and("outcome", label(outcome));
            queries.put(outcome, Meters.counter(registry, WeirMeter.QUERIES, outcomeTags));
            durations.put(outcome, Meters.timer(registry, WeirMeter.DURATION, outcomeTags));
        }
        for (GatewayErrorCode code : GatewayErrorCode.values()) {
            errors.put(code, Meters.counter(registry, WeirMeter.ERRORS, tags.and("code", label(code))));
        }
        for (String format : formats(front)) {
            rows.put(format, Meters.counter(registry, WeirMeter.ROWS, tags.and("format", format)));
            bytes.put(format, Meters.counter(registry, WeirMeter.BYTES, tags.and("format", format)));
        }
        queueWait = Meters.timer(registry, WeirMeter.QUEUE_WAIT, tags);
        paused = Meters.counter(registry, WeirMeter.PAUSED_TIME, tags);
        loadedRows = Meters.counter(registry, WeirMeter.INGEST_ROWS, tags);
        loadedBytes = Meters.counter(registry, WeirMeter.INGEST_BYTES, tags);
    }

    private static List<String> formats(Front front) {
        return front == Front.HTTP ? List.of(ARROW, "json", "ndjson", "csv") : List.of(ARROW);
    }

    void done(QuerySnapshot query) {
        Objects.requireNonNull(queries.get(query.state())).increment();
        Objects.requireNonNull(durations.get(query.state()))
                .record(query.queued().plus(query.running()));
        queueWait.record(query.queued());
        paused.increment(query.admission().paused().toNanos() / 1e9);
        if (query.kind() == StatementKind.INGEST) {
            loadedRows.increment((double) query.rows());
            loadedBytes.increment((double) query.bytes());
        } else {
            count(rows, query.format(), query.rows());
            count(bytes, query.format(), query.bytes());
        }
        GatewayErrorCode code = query.error();
        if (code != null) {
            Objects.requireNonNull(errors.get(code)).increment();
        }
    }

    /** Without a word of its front a result is Arrow, which is all that Flight SQL has. */
    private static void count(Map<String, Counter> counters, @Nullable String format, long more) {
        Counter counter = format == null ? null : counters.get(format);
        Objects.requireNonNull(counter == null ? counters.get(ARROW) : counter).increment((double) more);
    }
}
