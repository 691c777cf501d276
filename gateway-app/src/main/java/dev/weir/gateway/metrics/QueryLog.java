package dev.weir.gateway.metrics;

import dev.weir.gateway.query.AdmissionTrail;
import dev.weir.gateway.query.QueryListener;
import dev.weir.gateway.query.QuerySnapshot;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * One JSON line for each query that ended, into a file or into the logger {@code weir.query}; docs/query-log.md lists the
 * fields. It never holds statement text; the fingerprint tells equal statements apart. Safe for any thread; never waits
 * for the disk.
 */
public final class QueryLog implements QueryListener, AutoCloseable {

    /** ASCII only: some readers take U+2028 in a name for the end of a line, and a lone surrogate has no UTF-8. */
    private final JsonMapper json = JsonMapper.builder(JsonFactory.builder()
                    .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
                    .build())
            .build();

    private final Logger log;
    private final @Nullable QueryLogFile file;

    private QueryLog(Logger log, @Nullable QueryLogFile file) {
        this.log = log;
        this.file = file;
    }

    /** A log that is part of the ordinary log, under the logger {@code weir.query}. */
    public static QueryLog toLogger(MeterRegistry registry) {
        lost(registry);
        return new QueryLog(LoggerFactory.getLogger("weir.query"), null);
    }

    /**
     * A log in a rotated file. Lines that cannot be written are counted in {@link WeirMeter#QUERY_LOG_LOST}.
     *
     * @throws IOException if the file cannot be opened
     */
    public static QueryLog toFile(QueryLogSettings settings, MeterRegistry registry) throws IOException {
        QueryLogFile file = QueryLogFile.open(settings, lost(registry));
        return new QueryLog(file.logger(), file);
    }

    private static Counter lost(MeterRegistry registry) {
        return Meters.counter(registry, WeirMeter.QUERY_LOG_LOST, Tags.empty());
    }

    /** Writes what is still queued and closes the file. */
    @Override
    public void close() {
        if (file != null) {
            file.close();
        }
    }

    @Override
    public void done(QuerySnapshot query) {
        if (!log.isInfoEnabled()) {
            return;
        }
        Map<String, @Nullable Object> line = new LinkedHashMap<>();
        line.put("queryId", query.id());
        line.put("user", query.user());
        line.put("front", query.front().label());
        line.put("kind", query.kind() == null ? null : query.kind().name().toLowerCase(Locale.ROOT));
        line.put("fingerprint", Long.toHexString(query.fingerprint()));
        line.put("submitted", query.submitted().toString());
        line.put("queuedMs", millis(query.queued()));
        line.put("runningMs", millis(query.running()));
        line.put("rows", query.rows());
        line.put("batches", query.batches());
        line.put("bytes", query.bytes());
        line.put("reservedBytes", query.reservedBytes());
        line.put("group", query.group());
        line.put("class", query.queryClass());
        AdmissionTrail admission = query.admission();
        line.put("overran", admission.overran());
        line.put("pauses", admission.pauses());
        line.put("pausedMs", millis(admission.paused()));
        line.put("admission", admission.steps().stream().map(QueryLog::step).toList());
        line.put("outcome", query.state().name().toLowerCase(Locale.ROOT));
        line.put("code", query.error() == null ? null : query.error().name());
        line.put(
                "cancelReason",
                query.cancelReason() == null ? null : query.cancelReason().label());
        line.put("cancelMs", query.cancelling() == null ? null : millis(query.cancelling()));
        if (!query.tags().isEmpty()) {
            line.put("tags", query.tags());
        }
        line.values().removeIf(value -> value == null);
        log.info("{}", json.writeValueAsString(line));
    }

    private static Map<String, Object> step(AdmissionTrail.Step step) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("atMs", millis(step.at()));
        fields.put("decision", step.decision().label());
        if (step.place() != null) {
            fields.put("place", step.place());
        }
        if (step.why() != null) {
            fields.put("why", step.why());
        }
        return fields;
    }

    private static double millis(Duration duration) {
        return duration.toNanos() / 1e6;
    }
}
