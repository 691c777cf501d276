package dev.weir.gateway.tracing;

import io.micrometer.observation.Observation;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.TraceContext;
import io.micrometer.tracing.handler.TracingObservationHandler;
import org.jspecify.annotations.Nullable;

/** Trace contexts as W3C writes them in {@code traceparent}. */
final class TraceParents {

    private TraceParents() {}

    /** Of an observation that was started; null when nothing traces it. */
    static @Nullable String of(Observation.ContextView observation) {
        TracingObservationHandler.TracingContext tracing =
                observation.get(TracingObservationHandler.TracingContext.class);
        Span span = tracing == null ? null : tracing.getSpan();
        if (span == null) {
            return null;
        }
        TraceContext context = span.context();
        return "00-" + context.traceId() + "-" + context.spanId() + "-"
                + (Boolean.TRUE.equals(context.sampled()) ? "01" : "00");
    }
}
