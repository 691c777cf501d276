package dev.weir.gateway.tracing;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.gateway.query.AdmissionTrail;
import dev.weir.gateway.query.QueryListener;
import dev.weir.gateway.query.QuerySnapshot;
import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.ReceiverContext;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * One observation for each query, with a child for each of its phases: queue (submit to grant), run (grant to the first
 * batch or the end) and stream (to the end). A query that waits again has the first two again. Thread-safe.
 */
public final class QueryTraces implements QueryListener {

    static final String QUERY = "weir.query";
    static final String QUEUE = "weir.query.queue";
    static final String RUN = "weir.query.run";
    static final String STREAM = "weir.query.stream";

    private final ObservationRegistry registry;
    private final Map<String, Trace> open = new ConcurrentHashMap<>();

    public QueryTraces(ObservationRegistry registry) {
        this.registry = registry;
    }

    @Override
    public @Nullable String begun(QuerySnapshot query) {
        ReceiverContext<Map<String, String>> context = new ReceiverContext<>(Map::get);
        context.setCarrier(query.tags());
        Observation root = Observation.createNotStarted(QUERY, () -> context, registry)
                .contextualName("query")
                .lowCardinalityKeyValue("weir.front", query.front().label())
                .highCardinalityKeyValue("weir.query.id", query.id())
                .highCardinalityKeyValue("weir.user", query.user())
                .start();
        open.put(query.id(), new Trace(root));
        return TraceParents.of(context);
    }

    @Override
    public void decided(String queryId, AdmissionTrail.Step step) {
        Trace trace = open.get(queryId);
        if (trace == null) {
            return;
        }
        switch (step.decision()) {
            case GRANTED -> trace.enter(RUN);
            case RETURNED -> trace.enter(QUEUE);
            default -> trace.event(step.decision().label());
        }
    }

    @Override
    public void opened(String queryId) {
        Trace trace = open.get(queryId);
        if (trace != null) {
            trace.enter(STREAM);
        }
    }

    @Override
    public void done(QuerySnapshot query) {
        Trace trace = open.remove(query.id());
        if (trace != null) {
            trace.end(query);
        }
    }

    /** Queries that have not ended; for tests. */
    int openTraces() {
        return open.size();
    }

    /** One query under way. */
    private final class Trace {

        private final Observation root;

        @GuardedBy("this")
        private @Nullable Observation phase;

        Trace(Observation root) {
            this.root = root;
            enter(QUEUE);
        }

        synchronized void enter(String name) {
            // What is told late, by another thread, does not bring an earlier phase back.
            boolean late = phase != null && Objects.equals(phase.getContext().getName(), STREAM) && name.equals(RUN);
            if (late) {
                return;
            }
            leave();
            phase = Observation.createNotStarted(name, registry)
                    .contextualName(name.substring(name.lastIndexOf('.') + 1))
                    .parentObservation(root)
                    .start();
        }

        private synchronized void leave() {
            if (phase != null) {
                phase.stop();
                phase = null;
            }
        }

        void event(String name) {
            root.event(Observation.Event.of(name));
        }

        void end(QuerySnapshot query) {
            leave();
            root.lowCardinalityKeyValue(
                    KeyValue.of("weir.outcome", query.state().name().toLowerCase(Locale.ROOT)));
            root.lowCardinalityKeyValue(KeyValue.of(
                    "weir.kind",
                    query.kind() == null ? "unknown" : query.kind().name().toLowerCase(Locale.ROOT)));
            root.highCardinalityKeyValue("weir.rows", Long.toString(query.rows()));
            if (query.error() != null) {
                root.lowCardinalityKeyValue("weir.code", query.error().name());
                // The failure's text can name tables; its code is enough here.
                root.error(new QueryFailed(query.error().name()));
            }
            root.stop();
        }
    }

    /** Marks a span as failed. */
    private static final class QueryFailed extends RuntimeException {

        private static final long serialVersionUID = 1L;

        QueryFailed(String code) {
            super(code, null, false, false);
        }
    }
}
