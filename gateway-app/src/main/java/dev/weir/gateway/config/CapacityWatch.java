package dev.weir.gateway.config;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.admission.WaitReason;
import dev.weir.engine.EngineCapacity;
import dev.weir.engine.EngineNode;
import dev.weir.engine.QueryEngine;
import dev.weir.gateway.query.Timers;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the limits within what the engine can carry. An engine that can carry nothing holds queries back for a while:
 * most outages are over before anybody notices. After that they are started all the same, so that each is refused at once
 * by the engine instead of waiting for what may not come. Thread-safe.
 */
final class CapacityWatch {

    private static final Logger log = LoggerFactory.getLogger(CapacityWatch.class);

    private final QueryEngine engine;
    private final RuntimeLimits limits;
    private final StartHolds holds;
    private final Timers timers;
    private final Duration patience;
    private final Consumer<Boolean> learnMemory;

    @GuardedBy("this")
    private Timers.@Nullable Timer givingUp;

    @GuardedBy("this")
    private boolean none;

    /**
     * @param patience how long queries are held back while the engine can carry nothing
     * @param learnMemory told whether each query's memory is limited and measured wherever it may run
     */
    CapacityWatch(
            QueryEngine engine,
            RuntimeLimits limits,
            StartHolds holds,
            Timers timers,
            Duration patience,
            Consumer<Boolean> learnMemory) {
        this.engine = engine;
        this.limits = limits;
        this.holds = holds;
        this.timers = timers;
        this.patience = patience;
        this.learnMemory = learnMemory;
    }

    void start() {
        engine.onCapacity(this::changed);
        changed(engine.capacity());
    }

    private synchronized void changed(EngineCapacity capacity) {
        if (capacity.slots() < 1) {
            if (!none) {
                none = true;
                log.warn("The engine can carry nothing now; queries wait up to {} s for it", patience.toSeconds());
                holds.set(WaitReason.WORKERS, true);
                givingUp = timers.schedule(patience, this::giveUp);
            }
            return;
        }
        none = false;
        if (givingUp != null) {
            givingUp.cancel();
            givingUp = null;
        }
        limits.within(capacity, largestQuery(capacity));
        List<EngineNode> nodes = engine.nodes();
        learnMemory.accept(!nodes.isEmpty() && nodes.stream().allMatch(EngineNode::enforcesMemory));
        holds.set(WaitReason.WORKERS, false);
    }

    private long largestQuery(EngineCapacity capacity) {
        if (capacity.undivided()) {
            return capacity.memoryBytes();
        }
        return engine.nodes().stream()
                .filter(node -> node.state() == EngineNode.State.HEALTHY || node.state() == EngineNode.State.SUSPECT)
                .mapToLong(EngineNode::memoryBytes)
                .max()
                .orElse(capacity.memoryBytes());
    }

    private synchronized void giveUp() {
        if (none) {
            log.warn("The engine still can carry nothing; queries are refused until it can");
            holds.set(WaitReason.WORKERS, false);
        }
    }
}
