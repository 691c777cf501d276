package dev.weir.gateway.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.EngineNode;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class WorkerMetersTest {

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final WorkerMeters meters = new WorkerMeters(registry);
    private final List<EngineNode> nodes = new ArrayList<>();

    private static EngineNode node(String name, EngineNode.State state, int running) {
        return new EngineNode(name, name + ":1", state, Instant.EPOCH, 8, running, 1000, 10L * running, "engine", null);
    }

    private double gauge(String name, String... tags) {
        return registry.get(name).tags(tags).gauge().value();
    }

    @Test
    void eachWorkerHasItsStateAndItsLoad() {
        nodes.add(node("a", EngineNode.State.HEALTHY, 3));
        meters.observe(() -> nodes, worker -> 7);
        assertThat(gauge("weir.workers")).isEqualTo(1);
        assertThat(gauge("weir.worker.running", "worker", "a")).isEqualTo(3);
        assertThat(gauge("weir.worker.reserved", "worker", "a")).isEqualTo(30);
        assertThat(gauge("weir.worker.state", "worker", "a", "state", "healthy"))
                .isEqualTo(1);
        assertThat(registry.get("weir.worker.resumes")
                        .tags("worker", "a")
                        .functionCounter()
                        .count())
                .isEqualTo(7);
        nodes.set(0, node("a", EngineNode.State.DOWN, 0));
        nodes.add(node("b", EngineNode.State.SUSPECT, 1));
        assertThat(gauge("weir.workers")).isEqualTo(1);
        assertThat(gauge("weir.worker.state", "worker", "a", "state", "healthy"))
                .isZero();
        assertThat(gauge("weir.worker.state", "worker", "a", "state", "down")).isEqualTo(1);
        assertThat(gauge("weir.worker.running", "worker", "b")).isEqualTo(1);
        nodes.remove(0);
        assertThat(gauge("weir.worker.running", "worker", "a")).isNaN();
    }

    @Test
    void workersWithoutEndGetMetersOnlyUpToABound() {
        meters.observe(() -> nodes, worker -> 7);
        for (int i = 0; i < 10 * WorkerMeters.MOST; i++) {
            nodes.clear();
            nodes.add(node("w" + i, EngineNode.State.HEALTHY, 1));
            assertThat(gauge("weir.workers")).isEqualTo(1);
            meters.retried("w" + i);
        }
        assertThat(registry.find("weir.worker.running").gauges()).hasSize(WorkerMeters.MOST);
        assertThat(registry.find("weir.worker.retries").counters()).hasSize(WorkerMeters.MOST + 1);
        assertThat(registry.get("weir.worker.retries")
                        .tags("worker", "other")
                        .counter()
                        .count())
                .isEqualTo(9 * WorkerMeters.MOST);
        assertThat(registry.get("weir.worker.retries")
                        .tags("worker", "w0")
                        .counter()
                        .count())
                .isEqualTo(1);
    }
}
