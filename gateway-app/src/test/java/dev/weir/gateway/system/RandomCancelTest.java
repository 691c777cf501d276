package dev.weir.gateway.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.admission.AdmissionController;
import dev.weir.admission.AdmissionSnapshot;
import dev.weir.engine.EngineStats;
import dev.weir.engine.QueryEngine;
import dev.weir.gateway.query.DefaultQueryService;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.grpc.CredentialCallOption;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients that leave at random points, over both fronts at once, leave nothing behind. */
class RandomCancelTest {

    private static final List<String> STATEMENTS = List.of(
            "select 1",
            "select * from range(3000000)",
            "select a.range, b.range from range(3000) a, range(3000) b",
            "select count(*) from range(3000000) a, range(30) b where a.range % 7 = b.range",
            "select cast(case when range = 1500000 then 'x' else '1' end as int) from range(3000000)",
            "select * from nowhere");

    /** More threads than the pools of both ends start as they need them, and fewer than one for each round. */
    private static final int POOLS = 100;

    @TempDir
    Path directory;

    @Test
    void nothingIsLeft() throws Exception {
        drill(300);
    }

    @Test
    @Tag("full")
    void nothingIsLeftOfTenThousand() throws Exception {
        drill(10_000);
    }

    private void drill(int rounds) throws Exception {
        long seed = Long.getLong("weir.seed", System.nanoTime());
        System.out.println("RandomCancelTest seed " + seed);
        try (TestGateway gateway =
                TestGateway.start(directory, "--weir.admission.max-running=3", "--weir.admission.user.max-queued=3")) {
            int threads = ManagementFactory.getThreadMXBean().getThreadCount();
            run(gateway, rounds, seed);
            await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
                assertThat(gateway.bean(DefaultQueryService.class).liveQueries())
                        .isEmpty();
                AdmissionSnapshot admission =
                        gateway.bean(AdmissionController.class).snapshot();
                assertThat(admission.running()).isZero();
                assertThat(admission.queued()).isZero();
                assertThat(admission.reservedBytes()).isZero();
                assertThat(gateway.bean(QueryEngine.class).stats()).isEqualTo(new EngineStats(0, 0, 0, 0));
                assertThat(gateway.bean(BufferAllocator.class).getAllocatedMemory())
                        .isZero();
                assertThat(ManagementFactory.getThreadMXBean().getThreadCount()).isLessThan(threads + POOLS);
                assertThat(filesOf("duckdb/temp")).isEmpty();
                assertThat(filesOf("results")).isEmpty();
            });
            assertThat(gateway.sql(TestGateway.READER, "text/csv", "select 42 as n")
                            .body())
                    .isEqualTo("n\r\n42\r\n");
        }
    }

    private List<Path> filesOf(String name) throws IOException {
        Path root = directory.resolve(name);
        if (Files.notExists(root)) {
            return List.of();
        }
        try (Stream<Path> tree = Files.walk(root)) {
            return tree.filter(Files::isRegularFile).toList();
        }
    }

    private static void run(TestGateway gateway, int rounds, long seed) throws Exception {
        int threads = 4;
        ExecutorService clients = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> done = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                Random random = new Random(seed + thread);
                boolean http = thread % 2 == 0;
                String user = thread < 2 ? TestGateway.READER : TestGateway.WRITER;
                done.add(clients.submit(() -> {
                    if (http) {
                        overHttp(gateway, user, rounds / threads, random);
                    } else {
                        overFlight(gateway, user, rounds / threads, random);
                    }
                    return null;
                }));
            }
            for (Future<?> each : done) {
                each.get(30, TimeUnit.MINUTES);
            }
        } finally {
            clients.shutdownNow();
        }
    }

    private static void overHttp(TestGateway gateway, String user, int rounds, Random random) throws Exception {
        for (int round = 0; round < rounds; round++) {
            HttpRequest request = gateway.request(user, "/v1/queries")
                    .header("Accept", "application/vnd.apache.arrow.stream")
                    .POST(HttpRequest.BodyPublishers.ofString(statement(random)))
                    .build();
            CompletableFuture<HttpResponse<InputStream>> response =
                    gateway.client().sendAsync(request, HttpResponse.BodyHandlers.ofInputStream());
            try {
                if (random.nextInt(3) == 0) {
                    // Gives up before the answer, at some moment of the first 30 ms.
                    HttpResponse<InputStream> early = response.get(random.nextInt(30_000), TimeUnit.MICROSECONDS);
                    assertThat(early.statusCode()).isPositive();
                }
                try (InputStream in = response.get(60, TimeUnit.SECONDS).body()) {
                    in.readNBytes(random.nextInt(2_000_000));
                }
            } catch (TimeoutException | ExecutionException e) {
                response.cancel(true);
            } catch (IOException e) {
                assertThat(e).as("a stream that failed half-way is broken off").isNotNull();
            }
        }
    }

    private static void overFlight(TestGateway gateway, String user, int rounds, Random random) throws Exception {
        try (BufferAllocator allocator = new RootAllocator();
                FlightClient client = gateway.flight(allocator);
                FlightSqlClient sql = new FlightSqlClient(client)) {
            CredentialCallOption token =
                    client.authenticateBasicToken(user, TestGateway.PASSWORD).orElseThrow();
            for (int round = 0; round < rounds; round++) {
                try (FlightStream stream = sql.getStream(
                        sql.execute(statement(random), token)
                                .getEndpoints()
                                .get(0)
                                .getTicket(),
                        token)) {
                    int batches = random.nextInt(6);
                    for (int batch = 0; batch < batches && stream.next(); batch++) {
                        assertThat(stream.getRoot().getRowCount()).isNotNegative();
                    }
                    stream.cancel("left at random", null);
                } catch (FlightRuntimeException e) {
                    assertThat(e.status().code()).isNotNull();
                }
            }
        }
    }

    private static String statement(Random random) {
        return STATEMENTS.get(random.nextInt(STATEMENTS.size()));
    }
}
