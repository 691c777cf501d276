package dev.weir.gateway.tracing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.Access;
import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.QueryContext;
import dev.weir.engine.SessionSettings;
import dev.weir.gateway.query.AdmissionTrail;
import dev.weir.gateway.query.Front;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.QuerySnapshot;
import dev.weir.gateway.query.QueryState;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.data.StatusData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class QueryTracesTest {

    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String PARENT = "00-" + TRACE + "-b7ad6b7169203331-01";

    private final List<SpanData> spans = new CopyOnWriteArrayList<>();
    private final Tracing tracing = new Tracing(SimpleSpanProcessor.create(new Collecting()), "weir", 1);
    private final QueryTraces traces = new QueryTraces(tracing.registry());

    private final class Collecting implements SpanExporter {
        @Override
        public CompletableResultCode export(Collection<SpanData> ended) {
            spans.addAll(ended);
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode flush() {
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode shutdown() {
            return CompletableResultCode.ofSuccess();
        }
    }

    @AfterEach
    void nothingIsLeft() {
        assertThat(traces.openTraces()).isZero();
        tracing.close();
    }

    private SpanData span(String name) {
        return spans.stream()
                .filter(span -> span.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private List<String> names() {
        return spans.stream().map(SpanData::getName).toList();
    }

    @Test
    void aQueryHasItsPhasesUnderTheCallersTrace() {
        String own = traces.begun(query(QueryState.QUEUED, Map.of("traceparent", PARENT), null));
        decided(AdmissionTrail.Decision.GRANTED);
        traces.opened("q");
        decided(AdmissionTrail.Decision.PAUSED);
        traces.done(query(QueryState.FINISHED, Map.of(), null));

        assertThat(names()).containsExactly("queue", "run", "stream", "query");
        SpanData root = span("query");
        assertThat(root.getTraceId()).isEqualTo(TRACE);
        assertThat(root.getParentSpanId()).isEqualTo("b7ad6b7169203331");
        assertThat(own).isEqualTo("00-" + TRACE + "-" + root.getSpanId() + "-01");
        assertThat(spans)
                .filteredOn(span -> span != root)
                .allMatch(span -> span.getParentSpanId().equals(root.getSpanId()));
        assertThat(root.getEvents()).extracting(event -> event.getName()).contains("paused");
        assertThat(root.getAttributes().asMap().toString()).contains("http", "finished", "ann", "q");
    }

    @Test
    void withoutACallersTraceItBeginsOneAndAFailureIsMarked() {
        assertThat(traces.begun(query(QueryState.QUEUED, Map.of(), null))).startsWith("00-");
        traces.done(query(QueryState.FAILED, Map.of(), GatewayErrorCode.QUEUE_FULL));

        assertThat(names()).containsExactly("queue", "query");
        assertThat(span("query").getParentSpanId()).isEqualTo("0000000000000000");
        assertThat(span("query").getStatus().getStatusCode())
                .isEqualTo(StatusData.error().getStatusCode());
        assertThat(span("query").getAttributes().asMap().toString()).contains("QUEUE_FULL");
    }

    @Test
    void oneThatWaitsAgainHasItsPhasesAgain() {
        traces.begun(query(QueryState.QUEUED, Map.of(), null));
        decided(AdmissionTrail.Decision.GRANTED);
        decided(AdmissionTrail.Decision.RETURNED);
        decided(AdmissionTrail.Decision.GRANTED);
        traces.opened("q");
        // Told late.
        decided(AdmissionTrail.Decision.GRANTED);
        traces.done(query(QueryState.FINISHED, Map.of(), null));
        assertThat(names()).containsExactly("queue", "run", "queue", "run", "stream", "query");
    }

    @Test
    void aWorkersSpanIsBelowTheQuerys() {
        String own = traces.begun(query(QueryState.QUEUED, Map.of("traceparent", PARENT), null));
        CompletableFuture<ArrowResult> result = new CompletableFuture<>();
        CompletableFuture<Void> stopped = new CompletableFuture<>();
        new WorkerTraces(tracing.registry(), "w1").follow(statement(own), new Call(result, stopped));
        new WorkerTraces(tracing.registry(), "w1").follow(statement(null), new Call(result, stopped));
        result.completeExceptionally(new IllegalStateException("no"));
        assertThat(spans).as("the engine still works").isEmpty();
        stopped.complete(null);
        traces.done(query(QueryState.CANCELLED, Map.of(), null));

        assertThat(names()).containsExactly("worker", "queue", "query");
        assertThat(span("worker").getParentSpanId()).isEqualTo(span("query").getSpanId());
    }

    private record Call(CompletionStage<ArrowResult> result, CompletionStage<Void> stopped)
            implements EngineCall<ArrowResult> {
        @Override
        public void cancel() {}
    }

    private static EngineQuery statement(@Nullable String traceParent) {
        return new EngineQuery(
                "q",
                "select 1",
                Access.READ,
                SessionSettings.NONE,
                List.of(),
                1000,
                new QueryContext("ann", 0, false, null, traceParent));
    }

    private void decided(AdmissionTrail.Decision decision) {
        traces.decided("q", new AdmissionTrail.Step(decision, Duration.ZERO, null, null));
    }

    private static QuerySnapshot query(QueryState state, Map<String, String> tags, @Nullable GatewayErrorCode error) {
        return new QuerySnapshot(
                "q",
                "ann",
                Front.HTTP,
                state,
                null,
                0,
                Instant.EPOCH,
                Duration.ZERO,
                Duration.ZERO,
                0,
                0,
                0,
                0,
                "default",
                null,
                null,
                new AdmissionTrail(List.of(), 0, Duration.ZERO, false),
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                error,
                null,
                null,
                tags,
                null);
    }
}
