package dev.weir.gateway.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.engine.EngineNode;
import dev.weir.engine.cluster.WorkersEngine;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** Worker processes that are killed at random while clients read: whoever gets a result gets the exact one. */
@Tag("full")
class WorkerKillTest {

    private static final int QUERIES = 200;
    private static final int CLIENTS = 4;
    private static final int KILLS = 6;
    private static final String SQL = "select i, i * 7 % 1000 as v from range(300000) t(i)";

    @TempDir
    Path directory;

    private final long seed = Long.getLong("weir.seed", System.nanoTime());
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicInteger exact = new AtomicInteger();
    private final Map<String, Integer> errors = new ConcurrentHashMap<>();
    private final List<String> wrong = Collections.synchronizedList(new ArrayList<>());

    /** Whether kills are to come: the clients go on as long, a restart may take longer than their share. */
    private volatile boolean killing = true;

    /** The last kill, on the clock of System.nanoTime; 0 before the first. */
    private final AtomicLong killedAt = new AtomicLong();

    /** When the first query that was sent after it was answered; 0 until then. */
    private final AtomicLong answeredAt = new AtomicLong();

    @Test
    void everyClientGetsTheExactResultOrAnError() throws Exception {
        Path secret = TestWorker.secret(directory);
        Path database = Oracle.tpch("0.01", directory);
        List<List<String>> expected;
        try (Oracle oracle = Oracle.inMemory()) {
            expected = oracle.rows(SQL);
        }
        WorkerProcess[] workers = {start(secret, database, "a", 0), start(secret, database, "b", 0)};
        Path ca = Files.writeString(directory.resolve("ca.pem"), workers[0].certificate() + workers[1].certificate());
        ExecutorService clients = Executors.newCachedThreadPool();
        try (TestGateway gateway = TestGateway.start(
                directory.resolve("gateway"),
                "--weir.workers[0].uri=grpc+tls://localhost:" + workers[0].port(),
                "--weir.workers[1].uri=grpc+tls://localhost:" + workers[1].port(),
                "--weir.cluster.tls.ca=" + ca,
                "--weir.cluster.secret-file=" + secret,
                "--weir.cluster.health.ramp-up=1s")) {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                running.add(clients.submit(() -> ask(gateway, expected)));
            }
            Random random = new Random(seed);
            List<Long> failovers = new ArrayList<>();
            for (int kill = 1; kill <= KILLS; kill++) {
                int due = asked.get() + QUERIES / (KILLS + 1);
                await().atMost(Duration.ofSeconds(120)).until(() -> asked.get() >= due || !wrong.isEmpty());
                TimeUnit.MICROSECONDS.sleep(random.nextInt(60_000));
                int victim = random.nextInt(2);
                workers[victim].kill();
                killedAt.set(System.nanoTime());
                answeredAt.set(0);
                await().atMost(Duration.ofSeconds(30)).until(() -> answeredAt.get() != 0);
                failovers.add(TimeUnit.NANOSECONDS.toMillis(answeredAt.get() - killedAt.get()));
                workers[victim] = start(secret, database, victim == 0 ? "a" : "b", workers[victim].port());
                await().atMost(Duration.ofSeconds(30))
                        .until(() -> gateway.bean(WorkersEngine.class).nodes().stream()
                                .allMatch(node -> node.state() != EngineNode.State.DOWN));
            }
            killing = false;
            for (Future<?> client : running) {
                client.get(120, TimeUnit.SECONDS);
            }
            System.out.println("seed " + seed + ": " + exact + " exact, errors " + errors
                    + "; from a kill to the first answer of a query sent after it, in ms: " + failovers);
            assertThat(wrong).as("seed %d", seed).isEmpty();
            assertThat(errors.keySet()).isSubsetOf("502 ENGINE_LOST", "503 ENGINE_UNAVAILABLE", "broken stream");
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> gateway.bean(WorkersEngine.class).nodes().stream()
                            .allMatch(node -> node.running() == 0 && node.reservedBytes() == 0));
        } finally {
            clients.shutdownNow();
            workers[0].close();
            workers[1].close();
        }
    }

    private WorkerProcess start(Path secret, Path database, String name, int port) throws IOException {
        Path copy = directory.resolve(name + ".duckdb");
        if (Files.notExists(copy)) {
            Oracle.copy(database, copy);
        }
        return WorkerProcess.start(secret, directory.resolve(name), copy, port);
    }

    private void ask(TestGateway gateway, List<List<String>> expected) {
        while (asked.incrementAndGet() <= QUERIES || killing) {
            long began = System.nanoTime();
            try {
                HttpResponse<InputStream> response =
                        gateway.stream(TestGateway.READER, "application/vnd.apache.arrow.stream", SQL);
                byte[] bytes;
                try (InputStream body = response.body()) {
                    bytes = body.readAllBytes();
                }
                if (response.statusCode() != 200) {
                    String code =
                            JsonMapper.shared().readTree(bytes).get("code").stringValue();
                    errors.merge(response.statusCode() + " " + code, 1, Integer::sum);
                    continue;
                }
                List<List<String>> rows = ArrowRows.of(bytes);
                rows.sort(Comparator.comparingLong(row -> Long.parseLong(row.get(0))));
                if (rows.equals(expected)) {
                    exact.incrementAndGet();
                    if (killedAt.get() != 0 && began > killedAt.get()) {
                        answeredAt.compareAndSet(0, System.nanoTime());
                    }
                } else {
                    wrong.add(rows.size() + " rows");
                }
            } catch (IOException broken) {
                errors.merge("broken stream", 1, Integer::sum);
            } catch (Exception e) {
                wrong.add(e.toString());
            }
        }
    }
}
