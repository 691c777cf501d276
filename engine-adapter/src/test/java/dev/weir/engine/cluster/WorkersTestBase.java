package dev.weir.engine.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.Access;
import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineCapacity;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.EngineInfo;
import dev.weir.engine.EngineNode;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.FakeResult;
import dev.weir.engine.QueryContext;
import dev.weir.engine.Rows;
import dev.weir.engine.SessionSettings;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import org.apache.arrow.vector.IntVector;
import org.junit.jupiter.api.AfterEach;

/** Several fake workers as one engine, on a clock that is moved by hand. */
abstract class WorkersTestBase {

    static final ClusterSettings.Health POLICY =
            new ClusterSettings.Health(Duration.ofSeconds(1), Duration.ofSeconds(3), 3, 2, Duration.ofSeconds(5));

    final ManualTimers time = new ManualTimers();
    final Map<String, FakeWorker> workers = new LinkedHashMap<>();
    final List<String> retries = new ArrayList<>();
    final List<EngineCapacity> capacities = new ArrayList<>();
    InetAddress[] names = {};
    boolean nameServerDown;
    WorkersEngine engine;

    WorkersEngine open(String... names) {
        return open(null, names);
    }

    WorkersEngine open(ClusterSettings.Discovery discovery, String... names) {
        List<WorkerAddress> addresses = new ArrayList<>();
        for (String name : names) {
            FakeWorker worker = new FakeWorker(name);
            workers.put(name, worker);
            addresses.add(worker.address());
        }
        ClusterSettings settings = new ClusterSettings(
                addresses,
                discovery,
                new byte[16],
                new EngineInfo("duckdb", "unknown", false),
                POLICY,
                Duration.ofSeconds(3),
                Duration.ofSeconds(2),
                Duration.ofSeconds(3));
        Members members = new Members(
                address ->
                        workers.computeIfAbsent(address.name(), FakeWorker::new).link(),
                POLICY,
                time,
                time,
                new Random(7));
        engine = new WorkersEngine(
                settings, FakeWorker::scanOf, members, time, (worker, why) -> retries.add(worker + " " + why), host -> {
                    if (nameServerDown) {
                        throw new UnknownHostException(host);
                    }
                    return this.names;
                });
        engine.onCapacity(capacities::add);
        time.settle();
        return engine;
    }

    @AfterEach
    void everyByteIsGivenBack() {
        engine.close();
        for (FakeWorker worker : workers.values()) {
            worker.results.forEach(FakeResult::close);
            assertThat(worker.allocator.getAllocatedMemory()).as(worker.name).isZero();
            worker.allocator.close();
        }
    }

    static EngineQuery query(String sql, long memory, Duration timeLeft) {
        return new EngineQuery(
                "q",
                sql,
                Access.WRITE,
                SessionSettings.NONE,
                List.of(),
                100,
                new QueryContext("ann", memory, false, timeLeft));
    }

    EngineCall<ArrowResult> run() {
        return engine.execute(query("read", 10, Duration.ofMinutes(1)));
    }

    static EngineFailure failureOf(CompletionStage<?> stage) {
        try {
            Rows.await(stage);
        } catch (EngineException e) {
            return e.failure();
        }
        throw new AssertionError("It did not fail");
    }

    EngineNode node(String name) {
        return engine.nodes().stream()
                .filter(node -> node.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    FakeWorker where(FakeResult result) {
        return workers.values().stream()
                .filter(worker -> worker.results.contains(result))
                .findFirst()
                .orElseThrow();
    }

    List<FakeResult> results() {
        return workers.values().stream()
                .flatMap(worker -> worker.results.stream())
                .toList();
    }

    FakeWorker other(FakeWorker worker) {
        return workers.values().stream()
                .filter(one -> one != worker)
                .findFirst()
                .orElseThrow();
    }

    static int value(ArrowResult result) {
        return ((IntVector) result.root().getVector(0)).get(0);
    }

    void nothingRuns() {
        assertThat(engine.nodes()).allSatisfy(node -> {
            assertThat(node.running()).isZero();
            assertThat(node.reservedBytes()).isZero();
        });
    }
}
