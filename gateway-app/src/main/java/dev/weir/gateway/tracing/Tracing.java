package dev.weir.gateway.tracing;

import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.handler.PropagatingReceiverTracingObservationHandler;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelPropagator;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Where observations become spans: a registry of its own, so that what others observe is not traced, and OTLP over HTTP.
 * Spans are sent in batches in the background; those that cannot be sent are dropped. Closing sends the last.
 */
public final class Tracing implements AutoCloseable {

    private static final String NAME = "dev.weir";
    private static final Duration SEND_EVERY = Duration.ofSeconds(2);
    private static final long CLOSE_SECONDS = 3;

    private final SdkTracerProvider provider;
    private final ObservationRegistry registry = ObservationRegistry.create();

    /**
     * @param sampling share of the traces begun here that are kept, 0 to 1; those of others as they say
     */
    Tracing(SpanProcessor processor, String service, double sampling) {
        this.provider = SdkTracerProvider.builder()
                .setResource(Resource.getDefault().toBuilder()
                        .put("service.name", service)
                        .build())
                .setSampler(Sampler.parentBased(Sampler.traceIdRatioBased(sampling)))
                .addSpanProcessor(processor)
                .build();
        io.opentelemetry.api.trace.Tracer tracer = provider.get(NAME);
        OtelTracer bridge = new OtelTracer(tracer, new OtelCurrentTraceContext(), event -> {});
        OtelPropagator propagator =
                new OtelPropagator(ContextPropagators.create(W3CTraceContextPropagator.getInstance()), tracer);
        registry.observationConfig()
                .observationHandler(new ObservationHandler.FirstMatchingCompositeObservationHandler(
                        new PropagatingReceiverTracingObservationHandler<>(bridge, propagator),
                        new DefaultTracingObservationHandler(bridge)));
    }

    /**
     * Opens one that sends.
     *
     * @param endpoint of a collector, as {@code http://collector:4318/v1/traces}
     * @param service the name under which the spans are shown
     */
    public static Tracing toOtlp(URI endpoint, String service, double sampling) {
        BatchSpanProcessor processor = BatchSpanProcessor.builder(OtlpHttpSpanExporter.builder()
                        .setEndpoint(endpoint.toString())
                        .build())
                .setScheduleDelay(SEND_EVERY)
                .build();
        return new Tracing(processor, service, sampling);
    }

    /** For observations that shall be traced. */
    public ObservationRegistry registry() {
        return registry;
    }

    @Override
    public void close() {
        provider.shutdown().join(CLOSE_SECONDS, TimeUnit.SECONDS);
    }
}
