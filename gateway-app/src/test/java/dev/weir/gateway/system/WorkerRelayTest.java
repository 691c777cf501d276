package dev.weir.gateway.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.EngineStats;
import dev.weir.engine.duckdb.DuckDbEngine;
import dev.weir.engine.duckdb.DuckDbSettings;
import dev.weir.engine.remote.RemoteEngine;
import dev.weir.engine.remote.RemoteSettings;
import dev.weir.engine.worker.WorkerServer;
import dev.weir.engine.worker.WorkerSettings;
import dev.weir.gateway.query.DefaultQueryService;
import dev.weir.gateway.query.EveryType;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.flight.auth2.BasicAuthCredentialWriter;
import org.apache.arrow.flight.grpc.CredentialCallOption;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementQuery;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A whole gateway before a worker: what real clients read is what the worker's DuckDB gives; nothing is left behind. */
class WorkerRelayTest {

    private static final byte[] SECRET = "a secret of more than 16 bytes".getBytes(StandardCharsets.UTF_8);

    private static final String ARROW = "application/vnd.apache.arrow.stream";

    /** 24 MB. */
    private static final String NUMBERS = "select i from range(3000000) t(i)";

    private static final String TYPES = """
            select i, i::varchar || repeat('x', (i % 40)::int) as text, nullif(i % 5, 0)::tinyint as small, i / 3.0 as fraction,
              (i * 1000000007)::hugeint as huge, (i % 1000)::decimal(18, 3) as price, i % 2 = 0 as even,
              date '2020-01-01' + (i % 4000)::int as day, timestamp '2020-01-01' + to_seconds(i) as moment,
              timestamptz '2020-01-01 00:00:00+00' + to_seconds(i) as instant, time '00:00:00' + to_seconds(i % 86400) as clock,
              ('00000000-0000-0000-0000-' || lpad(i::varchar, 12, '0'))::uuid as id, i::varchar::blob as bytes,
              [i, null, i + 1] as list, {'a': i, 'b': i::varchar} as struct, map {'k': i} as map
            from range(100000) t(i) order by i""";

    @TempDir
    static Path directory;

    private static DuckDbEngine duck;
    private static WorkerServer worker;
    private static Relay wire;
    private static RemoteEngine remote;
    private static TestGateway gateway;
    private static BufferAllocator allocator;

    @BeforeAll
    static void start() throws Exception {
        allocator = new RootAllocator();
        Path work = Files.createDirectories(directory.resolve("worker"));
        duck = DuckDbEngine.open(
                new DuckDbSettings(null, false, work, List.of(), Map.of(), List.of(), 1L << 30, 1L << 30, 2, 64));
        worker = new WorkerServer(
                duck,
                new WorkerSettings(
                        "w",
                        "127.0.0.1",
                        0,
                        null,
                        SECRET,
                        64,
                        8L << 30,
                        WorkerSettings.DEFAULT_WINDOW_BYTES,
                        Duration.ofSeconds(8),
                        "none",
                        () -> 0));
        worker.start();
        wire = new Relay(worker.port());
        remote = new RemoteEngine(
                new RemoteSettings(
                        "w",
                        "127.0.0.1",
                        wire.port(),
                        null,
                        SECRET,
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(2),
                        Duration.ofSeconds(4)),
                duck.info(),
                duck::scan);
        gateway = TestGateway.over(remote, directory.resolve("data"));
    }

    @AfterEach
    void nothingIsLeft() {
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            assertThat(gateway.bean(DefaultQueryService.class).liveQueries()).isEmpty();
            assertThat(remote.stats()).isEqualTo(new EngineStats(0, 0, 0, 0));
            assertThat(worker.running()).isZero();
            assertThat(duck.stats()).isEqualTo(new EngineStats(0, 0, 0, 0));
            assertThat(gateway.bean(BufferAllocator.class).getAllocatedMemory()).isZero();
            assertThat(allocator.getAllocatedMemory()).isZero();
        });
    }

    @AfterAll
    static void stop() throws Exception {
        gateway.close();
        remote.close();
        wire.close();
        worker.close();
        duck.close();
        allocator.close();
    }

    private static List<List<String>> expected(String sql) {
        List<List<String>> batches = new ArrayList<>();
        try (ArrowResult result = duck.execute(EngineQuery.read("oracle", sql))
                .result()
                .toCompletableFuture()
                .join()) {
            while (result.next().toCompletableFuture().join()) {
                batches.add(EveryType.cells(result.root()));
            }
        }
        return batches;
    }

    private static FlightStream open(FlightClient client, String sql) {
        CommandStatementQuery command = CommandStatementQuery.newBuilder()
                .setQueryBytes(ByteString.copyFromUtf8(sql))
                .build();
        return client.getStream(
                new Ticket(Any.pack(command).toByteArray()),
                new CredentialCallOption(new BasicAuthCredentialWriter(TestGateway.READER, TestGateway.PASSWORD)));
    }

    @Test
    void aFlightClientReadsWhatTheWorkerGave() throws Exception {
        List<List<String>> batches = new ArrayList<>();
        try (FlightClient client = gateway.flight(allocator);
                FlightStream stream = open(client, TYPES)) {
            while (stream.next()) {
                batches.add(EveryType.cells(stream.getRoot()));
            }
        }
        assertThat(batches).hasSizeGreaterThan(2).isEqualTo(expected(TYPES));
    }

    @Test
    void anHttpClientReadsWhatTheWorkerGave() throws Exception {
        List<List<String>> batches = new ArrayList<>();
        try (InputStream body = arrow(TYPES);
                ArrowStreamReader reader = new ArrowStreamReader(body, allocator)) {
            while (reader.loadNextBatch()) {
                batches.add(EveryType.cells(reader.getVectorSchemaRoot()));
            }
        }
        assertThat(batches).hasSizeGreaterThan(2).isEqualTo(expected(TYPES));
    }

    @Test
    void formatsThatWriteValuesAreTheSame() throws Exception {
        String csv = gateway.sql(TestGateway.READER, "text/csv", "select i from range(70000) t(i) order by i")
                .body();
        assertThat(csv.lines()).hasSize(70_001).endsWith("69999");
    }

    @Test
    void aFailureInTheMiddleIsSeenByBothClients() throws Exception {
        String sql = "select case when i = 900000 then error('broken here') else i end as n from range(1000000) t(i)";
        try (FlightClient client = gateway.flight(allocator);
                FlightStream stream = open(client, sql)) {
            FlightRuntimeException failure = catchThrowableOfType(FlightRuntimeException.class, () -> {
                while (stream.next()) {}
            });
            assertThat(failure).hasMessageContaining("broken here");
        }
        assertThatThrownBy(() -> {
                    try (InputStream body = arrow(sql);
                            ArrowStreamReader reader = new ArrowStreamReader(body, allocator)) {
                        while (reader.loadNextBatch()) {}
                    }
                })
                .isInstanceOf(Exception.class);
    }

    @Test
    void aClientThatLeavesStopsTheWorker() throws Exception {
        String endless = "select a.range, b.range from range(100000) a, range(100000) b";
        try (FlightClient client = gateway.flight(allocator)) {
            for (int read = 1; read <= 8; read++) {
                try (FlightStream stream = open(client, endless)) {
                    for (int batch = 0; batch < read; batch++) {
                        assertThat(stream.next()).isTrue();
                    }
                    stream.cancel("enough", null);
                }
            }
        }
        for (int read = 1; read <= 8; read++) {
            try (InputStream body = arrow(endless)) {
                body.readNBytes(read * 100_000);
            }
        }
    }

    @Test
    void aSlowReaderHoldsLittle() throws Exception {
        String endless = "select a.range, b.range from range(100000) a, range(100000) b";
        try (FlightClient client = gateway.flight(allocator);
                FlightStream stream = open(client, endless)) {
            assertThat(stream.next()).isTrue();
            // Batches are half a megabyte: the one in hand and the one that came beyond it.
            await().during(Duration.ofSeconds(1))
                    .atMost(Duration.ofSeconds(20))
                    .untilAsserted(() -> assertThat(remote.stats().arrowBytes()).isLessThan(2 << 20));
            assertThat(stream.next()).isTrue();
            stream.cancel("enough", null);
        }
    }

    @Test
    void streamsWhoseWireBreaksAreWholeForBothClients() throws Exception {
        long before = remote.resumes();
        int cuts = wire.cuts();
        for (int at : new int[] {200_000, 1_000_003, 7_000_000, 19_999_999}) {
            wire.cutAfter(at);
            try (FlightClient client = gateway.flight(allocator);
                    FlightStream stream = open(client, NUMBERS)) {
                long next = 0;
                while (stream.next()) {
                    next = count(stream.getRoot(), next);
                }
                assertThat(next).as("cut at %d", at).isEqualTo(3_000_000);
            }
            wire.cutAfter(at);
            try (InputStream body = arrow(NUMBERS);
                    ArrowStreamReader reader = new ArrowStreamReader(body, allocator)) {
                long next = 0;
                while (reader.loadNextBatch()) {
                    next = count(reader.getVectorSchemaRoot(), next);
                }
                assertThat(next).as("cut at %d", at).isEqualTo(3_000_000);
            }
        }
        assertThat(wire.cuts() - cuts).isEqualTo(8);
        // A run whose last word to the worker was still on its way when the wire broke resumes, too.
        assertThat(remote.resumes() - before).isGreaterThanOrEqualTo(8);
    }

    /** @return the number after the last; each is the one that belongs there */
    private static long count(VectorSchemaRoot root, long from) {
        BigIntVector numbers = (BigIntVector) root.getVector(0);
        for (int row = 0; row < root.getRowCount(); row++) {
            if (numbers.get(row) != from + row) {
                throw new AssertionError("Row " + (from + row) + " is " + numbers.get(row));
            }
        }
        return from + root.getRowCount();
    }

    @Test
    void aWorkerThatIsLostInTheMiddleNeverLooksLikeAnEnd() throws Exception {
        String endless = "select a.range, b.range from range(100000) a, range(100000) b";
        try (FlightClient client = gateway.flight(allocator);
                FlightStream stream = open(client, endless)) {
            assertThat(stream.next()).isTrue();
            wire.kill();
            FlightRuntimeException failure = catchThrowableOfType(FlightRuntimeException.class, () -> {
                while (stream.next()) {}
            });
            assertThat(failure.status().code()).isEqualTo(FlightStatusCode.UNAVAILABLE);
            assertThat(failure).hasMessageContaining("was lost while the query ran");
        } finally {
            wire.revive();
        }
        HttpResponse<InputStream> response = gateway.stream(TestGateway.READER, ARROW, endless);
        try (InputStream body = response.body()) {
            body.readNBytes(3_000_000);
            wire.kill();
            assertThatThrownBy(() -> body.transferTo(OutputStream.nullOutputStream()))
                    .as("an answer without its end")
                    .isInstanceOf(IOException.class);
        } finally {
            wire.revive();
        }
        String id = response.headers().firstValue("X-Weir-Query-Id").orElseThrow();
        assertThat(gateway.get(TestGateway.READER, "/v1/queries/" + id).body()).contains("\"code\":\"ENGINE_LOST\"");
    }

    private static InputStream arrow(String sql) throws Exception {
        return gateway.stream(TestGateway.READER, ARROW, sql).body();
    }
}
