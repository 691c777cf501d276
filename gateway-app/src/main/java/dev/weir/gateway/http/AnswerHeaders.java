package dev.weir.gateway.http;

import dev.weir.gateway.query.QuerySnapshot;
import java.time.Duration;
import org.springframework.http.HttpHeaders;

/** Headers that tell about a query. */
final class AnswerHeaders {

    static final String QUERY_ID = "X-Weir-Query-Id";
    static final String QUEUE_MS = "X-Weir-Queue-Ms";
    static final String SERVER_TIMING = "Server-Timing";

    private AnswerHeaders() {}

    static void write(HttpHeaders headers, QuerySnapshot query) {
        headers.set(QUERY_ID, query.id());
        headers.set(QUEUE_MS, Long.toString(query.queued().toMillis()));
        headers.set(SERVER_TIMING, "queue;dur=" + millis(query.queued()) + ", run;dur=" + millis(query.running()));
        headers.set(HttpHeaders.CACHE_CONTROL, "no-store");
    }

    /** Milliseconds with three decimals. */
    private static String millis(Duration duration) {
        long micros = duration.toNanos() / 1000;
        return micros / 1000 + "." + Long.toString(1000 + micros % 1000).substring(1);
    }
}
