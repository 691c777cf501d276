package dev.weir.gateway.metrics;

import dev.weir.gateway.query.QueryListener;
import dev.weir.gateway.query.QuerySnapshot;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/**
 * One JSON line for each query that ended, in the logger {@code weir.query}. It never holds statement text; the
 * fingerprint tells equal statements apart.
 */
public final class QueryLog implements QueryListener {

    private static final Logger log = LoggerFactory.getLogger("weir.query");

    private final JsonMapper json = JsonMapper.builder().build();

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
        line.put("queuedMs", query.queued().toNanos() / 1e6);
        line.put("runningMs", query.running().toNanos() / 1e6);
        line.put("rows", query.rows());
        line.put("batches", query.batches());
        line.put("bytes", query.bytes());
        line.put("reservedBytes", query.reservedBytes());
        line.put("group", query.group());
        line.put("class", query.queryClass());
        line.put("outcome", query.state().name().toLowerCase(Locale.ROOT));
        line.put("code", query.error() == null ? null : query.error().name());
        line.put(
                "cancelReason",
                query.cancelReason() == null ? null : query.cancelReason().label());
        if (!query.tags().isEmpty()) {
            line.put("tags", query.tags());
        }
        line.values().removeIf(value -> value == null);
        log.info("{}", json.writeValueAsString(line));
    }
}
