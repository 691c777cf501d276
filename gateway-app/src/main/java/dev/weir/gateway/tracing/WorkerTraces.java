package dev.weir.gateway.tracing;

import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineQuery;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.ReceiverContext;
import java.util.Map;

/** An observation for each statement that a worker runs for a gateway which traces it. Thread-safe. */
public final class WorkerTraces {

    static final String RUN = "weir.worker.run";

    private final ObservationRegistry registry;
    private final String worker;

    /** @param worker how this process is called */
    public WorkerTraces(ObservationRegistry registry, String worker) {
        this.registry = registry;
        this.worker = worker;
    }

    /** Follows a call until the engine is idle for it. */
    public void follow(EngineQuery query, EngineCall<ArrowResult> call) {
        String parent = query.context().traceParent();
        if (parent == null) {
            return;
        }
        ReceiverContext<Map<String, String>> context = new ReceiverContext<>(Map::get);
        context.setCarrier(Map.of("traceparent", parent));
        Observation run = Observation.createNotStarted(RUN, () -> context, registry)
                .contextualName("worker")
                .lowCardinalityKeyValue("weir.worker", worker)
                .highCardinalityKeyValue("weir.query.id", query.queryId())
                .start();
        call.result().whenComplete((result, failure) -> {
            if (failure != null) {
                run.error(failure);
                call.stopped().whenComplete((nothing, never) -> run.stop());
            } else {
                result.stopped().whenComplete((nothing, never) -> run.stop());
            }
        });
    }
}
