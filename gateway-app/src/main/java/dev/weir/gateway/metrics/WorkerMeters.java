package dev.weir.gateway.metrics;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.engine.EngineNode;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Meters of the processes that run queries. A label's values are the names of the first {@link #MOST} that were seen; all
 * others together are {@code other}, which has no gauges. Thread-safe.
 */
public final class WorkerMeters {

    /** Workers that get meters of their own; names found behind a host name can come and go without end. */
    static final int MOST = 64;

    private static final String OTHER = "other";

    private final MeterRegistry registry;
    private final Gauge total;

    @GuardedBy("this")
    private final Map<String, @Nullable EngineNode> known = new HashMap<>();

    private volatile Supplier<List<EngineNode>> nodes = List::of;
    private volatile ToDoubleFunction<String> resumes = worker -> 0;

    public WorkerMeters(MeterRegistry registry) {
        this.registry = registry;
        // Looked at in each scrape, it also finds nodes that are new.
        this.total = gauge(WeirMeter.WORKERS, Tags.empty(), meters -> meters.look());
        Meters.counter(registry, WeirMeter.WORKER_RETRIES, Tags.of("worker", OTHER));
    }

    /**
     * Whose nodes are shown from now on.
     *
     * @param resumed how many streams were taken up again on a worker
     */
    public void observe(Supplier<List<EngineNode>> source, ToDoubleFunction<String> resumed) {
        nodes = source;
        resumes = resumed;
        total.value();
    }

    /** A query went to another worker than this. */
    public void retried(String worker) {
        Meters.counter(registry, WeirMeter.WORKER_RETRIES, Tags.of("worker", label(worker)))
                .increment();
    }

    private synchronized String label(String worker) {
        return known.containsKey(worker) ? worker : OTHER;
    }

    /** Takes a look at all nodes. @return how many may have queries */
    private synchronized long look() {
        List<EngineNode> now = nodes.get();
        known.replaceAll((name, before) -> null);
        for (EngineNode node : now) {
            if (!known.containsKey(node.name()) && known.size() < MOST) {
                known.put(node.name(), node);
                register(node.name());
            } else if (known.containsKey(node.name())) {
                known.put(node.name(), node);
            }
        }
        return now.stream()
                .filter(node -> node.state() == EngineNode.State.HEALTHY || node.state() == EngineNode.State.SUSPECT)
                .count();
    }

    private void register(String name) {
        Tags tags = Tags.of("worker", name);
        for (EngineNode.State state : EngineNode.State.values()) {
            Tags stateTags = tags.and("state", state.name().toLowerCase(Locale.ROOT));
            gauge(WeirMeter.WORKER_STATE, stateTags, meters -> meters.of(name, node -> node.state() == state ? 1 : 0));
        }
        gauge(WeirMeter.WORKER_RUNNING, tags, meters -> meters.of(name, EngineNode::running));
        gauge(WeirMeter.WORKER_SLOTS, tags, meters -> meters.of(name, EngineNode::slots));
        gauge(WeirMeter.WORKER_RESERVED, tags, meters -> meters.of(name, EngineNode::reservedBytes));
        gauge(WeirMeter.WORKER_MEMORY, tags, meters -> meters.of(name, EngineNode::memoryBytes));
        Meters.counter(registry, WeirMeter.WORKER_RETRIES, tags);
        Meters.counter(registry, WeirMeter.WORKER_RESUMES, tags, this, meters -> meters.resumes.applyAsDouble(name));
    }

    /** Of the latest look; a node that is gone shows nothing. */
    private synchronized double of(String name, ToDoubleFunction<EngineNode> value) {
        look();
        EngineNode node = known.get(name);
        return node == null ? Double.NaN : value.applyAsDouble(node);
    }

    private Gauge gauge(WeirMeter meter, Tags tags, ToDoubleFunction<WorkerMeters> value) {
        return Meters.gauge(registry, meter, tags, this, value);
    }
}
