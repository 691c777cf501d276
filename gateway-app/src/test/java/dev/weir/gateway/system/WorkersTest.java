package dev.weir.gateway.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.engine.EngineNode;
import dev.weir.engine.cluster.WorkersEngine;
import dev.weir.gateway.config.WorkerApplication;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Whole gateways in front of whole workers. */
class WorkersTest {

    private static final String ARROW = "application/vnd.apache.arrow.stream";

    /** Several batches. */
    private static final int ROWS = 400_000;

    private static final String MANY_ROWS = "select i, i * 7 % 1000 as v from range(" + ROWS + ") t(i)";

    @TempDir
    Path directory;

    private final List<AutoCloseable> open = new ArrayList<>();
    private Path secret;
    private Path database;

    @BeforeEach
    void data() throws Exception {
        secret = TestWorker.secret(directory);
        database = Oracle.tpch("0.01", directory);
    }

    @AfterEach
    void close() throws Exception {
        for (int i = open.size() - 1; i >= 0; i--) {
            open.get(i).close();
        }
    }

    private TestWorker worker(String name, String... more) throws IOException {
        TestWorker worker = TestWorker.start(
                secret, directory.resolve(name), Oracle.copy(database, directory.resolve(name + ".duckdb")), more);
        open.add(worker);
        return worker;
    }

    private TestGateway gateway(String name, TestWorker... workers) throws Exception {
        StringBuilder certificates = new StringBuilder();
        List<String> properties = new ArrayList<>();
        for (int i = 0; i < workers.length; i++) {
            certificates.append(workers[i].certificate());
            properties.add("--weir.workers[" + i + "].uri=grpc+tls://localhost:" + workers[i].port());
            properties.add("--weir.workers[" + i + "].name=w" + i);
        }
        Path ca = Files.writeString(directory.resolve(name + ".pem"), certificates);
        properties.add("--weir.cluster.tls.ca=" + ca);
        properties.add("--weir.cluster.secret-file=" + secret);
        TestGateway gateway = TestGateway.start(directory.resolve(name), properties.toArray(String[]::new));
        open.add(gateway);
        return gateway;
    }

    @Test
    void the22QueriesThroughTwoWorkersEqualTheOracleAndBothAreUsed() throws Exception {
        TestGateway gateway = gateway("gateway", worker("a"), worker("b"));
        try (Oracle oracle = Oracle.on(Oracle.copy(database, directory.resolve("oracle.duckdb")))) {
            oracle.assertSameCells(gateway);
        }
        JsonNode workers = JsonMapper.shared()
                .readTree(gateway.get(TestGateway.ADMIN, "/v1/workers").body())
                .get("workers");
        assertThat(workers).hasSize(2);
        assertThat(workers.get(0).get("state").stringValue()).isEqualTo("HEALTHY");
        assertThat(gateway.get(TestGateway.READER, "/v1/workers").statusCode()).isEqualTo(403);
        assertThat(gateway.sql(TestGateway.WRITER, "text/csv", "create table t (i int)")
                        .statusCode())
                .isEqualTo(403);
        String metrics = gateway.client()
                .send(
                        HttpRequest.newBuilder(gateway.managementUri("/actuator/prometheus"))
                                .header("Authorization", TestGateway.basic(TestGateway.ADMIN, TestGateway.PASSWORD))
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
        assertThat(metrics)
                .contains("weir_workers 2.0")
                .contains("weir_worker_state{state=\"healthy\",worker=\"w0\"} 1.0")
                .contains("weir_worker_slots{worker=\"w1\"}");
    }

    /** Clients in a loop; what each of their queries ended with is counted. */
    private static final class Load implements AutoCloseable {
        final AtomicInteger exact = new AtomicInteger();
        final Map<String, Integer> errors = new ConcurrentHashMap<>();
        final List<String> wrong = Collections.synchronizedList(new ArrayList<>());
        private final AtomicBoolean over = new AtomicBoolean();
        private final ExecutorService threads = Executors.newCachedThreadPool();
        private final List<Future<?>> clients = new ArrayList<>();

        Load(TestGateway gateway, int count) {
            for (int i = 0; i < count; i++) {
                clients.add(threads.submit(() -> {
                    while (!over.get()) {
                        ask(gateway);
                    }
                }));
            }
        }

        private void ask(TestGateway gateway) {
            try {
                HttpResponse<InputStream> response = gateway.stream(TestGateway.READER, ARROW, MANY_ROWS);
                byte[] bytes;
                try (InputStream body = response.body()) {
                    bytes = body.readAllBytes();
                }
                if (response.statusCode() != 200) {
                    String code =
                            JsonMapper.shared().readTree(bytes).get("code").stringValue();
                    errors.merge(response.statusCode() + " " + code, 1, Integer::sum);
                    return;
                }
                if (eachRowOnce(bytes)) {
                    exact.incrementAndGet();
                } else {
                    wrong.add(bytes.length + " bytes");
                }
            } catch (IOException broken) {
                errors.merge("broken stream", 1, Integer::sum);
            } catch (Exception e) {
                wrong.add(e.toString());
            }
        }

        /** The rows may come in any order. */
        private static boolean eachRowOnce(byte[] stream) throws IOException {
            BitSet seen = new BitSet(ROWS);
            int rows = 0;
            try (BufferAllocator allocator = new RootAllocator();
                    ArrowStreamReader reader = new ArrowStreamReader(new ByteArrayInputStream(stream), allocator)) {
                while (reader.loadNextBatch()) {
                    BigIntVector numbers =
                            (BigIntVector) reader.getVectorSchemaRoot().getVector(0);
                    BigIntVector values =
                            (BigIntVector) reader.getVectorSchemaRoot().getVector(1);
                    for (int row = 0; row < numbers.getValueCount(); row++, rows++) {
                        int number = Math.toIntExact(numbers.get(row));
                        if (values.get(row) != number * 7L % 1000) {
                            return false;
                        }
                        seen.set(number);
                    }
                }
            }
            return rows == ROWS && seen.cardinality() == ROWS && seen.length() == ROWS;
        }

        /** Waits until so many more were exact. */
        void exactlyMore(int count) {
            int from = exact.get();
            await().atMost(Duration.ofSeconds(60)).until(() -> exact.get() >= from + count || !wrong.isEmpty());
        }

        @Override
        public void close() throws Exception {
            over.set(true);
            for (Future<?> client : clients) {
                client.get(60, TimeUnit.SECONDS);
            }
            threads.shutdown();
        }
    }

    @Test
    void aWorkerThatBreaksOffCostsNoWrongResultAndTheOtherGoesOn() throws Exception {
        TestWorker first = worker("a");
        TestGateway gateway = gateway("gateway", first, worker("b"));
        Load load = new Load(gateway, 3);
        try (load) {
            load.exactlyMore(6);
            first.breakOff();
            load.exactlyMore(20);
        }
        assertThat(load.wrong).isEmpty();
        assertThat(load.errors.keySet()).isSubsetOf("502 ENGINE_LOST", "503 ENGINE_UNAVAILABLE", "broken stream");
        await().atMost(Duration.ofSeconds(20))
                .until(() -> gateway.bean(WorkersEngine.class).nodes().get(0).state() == EngineNode.State.DOWN);
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() ->
                        assertThat(gateway.bean(WorkersEngine.class).nodes()).allMatch(node -> node.running() == 0));
        assertThat(ArrowRows.of(gateway, "select 1")).isNotEmpty();
    }

    @Test
    void aWorkerThatDrainsCostsNothing() throws Exception {
        TestWorker first = worker("a");
        TestGateway gateway = gateway("gateway", first, worker("b"));
        Load load = new Load(gateway, 3);
        try (load) {
            load.exactlyMore(6);
            first.drain();
            load.exactlyMore(10);
        }
        assertThat(load.wrong).isEmpty();
        assertThat(load.errors).isEmpty();
    }

    @Test
    void aWorkersCapHoldsWhateverTwoGatewaysBelieve() throws Exception {
        TestWorker only = worker("a", "--weir.worker.slots=2");
        TestGateway one = gateway("one", only);
        TestGateway two = gateway("two", only);
        AtomicInteger most = new AtomicInteger();
        Load first = new Load(one, 3);
        Load second = new Load(two, 3);
        try (first;
                second) {
            await().atMost(Duration.ofSeconds(60))
                    .pollInterval(Duration.ofMillis(2))
                    .until(() -> {
                        most.accumulateAndGet(only.running(), Math::max);
                        return first.exact.get() >= 8 && second.exact.get() >= 8;
                    });
        }
        assertThat(first.wrong).isEmpty();
        assertThat(second.wrong).isEmpty();
        assertThat(most.get()).isBetween(1, 2);
    }

    @Test
    void withoutWorkersTheGatewayIsNotReadyAndTakesThemWhenTheyCome() throws Exception {
        TestWorker only = worker("a");
        TestGateway gateway = gateway("gateway", only);
        int port = only.port();
        only.drain();
        await().atMost(Duration.ofSeconds(20)).until(() -> ready(gateway) == 503);
        TestWorker again = TestWorker.start(
                secret,
                directory.resolve("a"),
                Oracle.copy(database, directory.resolve("again.duckdb")),
                "--weir.worker.port=" + port);
        open.add(again);
        await().atMost(Duration.ofSeconds(20)).until(() -> ready(gateway) == 200);
        assertThat(ArrowRows.of(gateway, "select 1")).isNotEmpty();
    }

    private static int ready(TestGateway gateway) throws Exception {
        return gateway.client()
                .send(
                        HttpRequest.newBuilder(gateway.managementUri("/actuator/health/readiness"))
                                .build(),
                        HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }

    @Test
    void aWorkerWithoutASecretRefusesToStartWithOneLine() {
        assertThatThrownBy(() -> WorkerApplication.start(List.of(
                        "--weir.data-dir=" + directory.resolve("x"),
                        "--weir.worker.port=0",
                        "--weir.management.port=0")))
                .hasMessageStartingWith("weir.cluster.secret-file is needed")
                .hasMessageNotContaining("\n");
    }
}
