package dev.weir.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.github.luben.zstd.ZstdInputStream;
import dev.weir.gateway.query.CancelReason;
import dev.weir.gateway.query.EveryType;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import dev.weir.gateway.query.QueryState;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPInputStream;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Results whose batches come encoded, over the real server; every batch is given back, whatever its client does. */
class RelayTest {

    private static final String ARROW = "application/vnd.apache.arrow.stream";
    private static final int ROWS = 32_768;

    private static FrontServer server;

    @BeforeAll
    static void start() {
        server = new FrontServer();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @AfterEach
    void everythingIsGivenBack() {
        await().until(() -> server.allocator.getAllocatedMemory() == 0);
    }

    private static FakeResult numbers(int batches, int rows) {
        FakeResult result = FakeResult.numbers(server.allocator, batches, rows).encoded(server.allocator);
        server.queries.answer(result);
        return result;
    }

    /** Checks that numbers count up from 0. @return how many there are */
    private static long count(InputStream body) throws Exception {
        long next = 0;
        try (ArrowStreamReader reader = new ArrowStreamReader(body, server.allocator)) {
            while (reader.loadNextBatch()) {
                BigIntVector n = (BigIntVector) reader.getVectorSchemaRoot().getVector("n");
                for (int i = 0; i < n.getValueCount(); i++) {
                    assertThat(n.get(i)).isEqualTo(next++);
                }
            }
        }
        return next;
    }

    @ParameterizedTest
    @ValueSource(strings = {"identity", "gzip", "zstd"})
    void anArrowStreamIsRelayedUnderAnyContentCoding(String coding) throws Exception {
        FakeResult result = numbers(20, ROWS);

        HttpResponse<byte[]> response = server.post("select 1", ARROW, "Accept-Encoding", coding);

        InputStream body = new ByteArrayInputStream(response.body());
        body = switch (coding) {
            case "gzip" -> new GZIPInputStream(body);
            case "zstd" -> new ZstdInputStream(body);
            default -> body;
        };
        assertThat(count(body)).isEqualTo(20L * ROWS);
        assertThat(result.relayed).hasSize(20).allMatch(batch -> batch.closes() == 1);
        await().until(() -> server.queries.last().state == QueryState.FINISHED);
    }

    @Test
    void everyTypeArrivesAsItWas() throws Exception {
        VectorSchemaRoot root = VectorSchemaRoot.create(EveryType.SCHEMA, server.allocator);
        server.queries.answer(new FakeResult(root, (r, index) -> {
                    EveryType.fill(r, 1000);
                    return index < 2;
                })
                .encoded(server.allocator));

        byte[] body = server.post("select 1", ARROW).body();

        int batches = 0;
        try (VectorSchemaRoot expected = VectorSchemaRoot.create(EveryType.SCHEMA, server.allocator);
                ArrowStreamReader reader = new ArrowStreamReader(new ByteArrayInputStream(body), server.allocator)) {
            EveryType.fill(expected, 1000);
            while (reader.loadNextBatch()) {
                assertThat(EveryType.cells(reader.getVectorSchemaRoot())).isEqualTo(EveryType.cells(expected));
                batches++;
            }
        }
        assertThat(batches).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"text/csv", "application/json", "application/x-ndjson"})
    void formatsThatWriteValuesDecode(String format) {
        FakeResult result = numbers(2, 3);

        String body = new String(server.post("select 1", format).body(), StandardCharsets.UTF_8);

        assertThat(body).contains("5");
        assertThat(result.relayed).isEmpty();
    }

    @Test
    void aRowLimitDecodes() throws Exception {
        FakeResult result = numbers(10, 100);

        HttpResponse<byte[]> response = server.post("select 1", ARROW, "X-Weir-Row-Limit", "150");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(count(new ByteArrayInputStream(response.body()))).isEqualTo(150);
        assertThat(result.relayed).isEmpty();
        assertThat(result.finishedEarly).isTrue();
    }

    @Test
    void anAsynchronousResultIsSpooledAsItCame() throws Exception {
        FakeResult result = numbers(4, 1000);
        HttpResponse<byte[]> accepted = server.post("select 1", "*/*", "Prefer", "respond-async");
        String query = accepted.headers().firstValue("Location").orElseThrow();
        await().until(() -> server.send(server.request(query + "/result")).statusCode() == 200);

        assertThat(result.relayed).hasSize(4).allMatch(batch -> batch.closes() == 1);
        assertThat(count(new ByteArrayInputStream(
                        server.send(server.request(query + "/result").header("Accept", ARROW))
                                .body())))
                .isEqualTo(4000);
        assertThat(new String(
                        server.send(server.request(query + "/result").header("Accept", "text/csv"))
                                .body(),
                        StandardCharsets.UTF_8))
                .contains("\n3999\r\n");
    }

    @Test
    void aClientThatDoesNotWaitHasTheRestSpooledAsItComes() throws Exception {
        CountDownLatch engine = new CountDownLatch(1);
        BigIntVector n = new BigIntVector("n", server.allocator);
        FakeResult result = new FakeResult(VectorSchemaRoot.of(n), (root, index) -> {
                    engine.await();
                    n.allocateNew(1);
                    n.set(0, index);
                    root.setRowCount(1);
                    return index < 3;
                })
                .encoded(server.allocator);
        server.queries.answer(result);
        // JSON is wanted, so the first batch is decoded; it is the spool that gets it.
        HttpResponse<byte[]> accepted = server.post("select 1", "application/json", "X-Weir-Wait", "50ms");
        assertThat(accepted.statusCode()).isEqualTo(202);
        engine.countDown();
        String query = accepted.headers().firstValue("Location").orElseThrow();
        await().until(() -> server.send(server.request(query + "/result")).statusCode() == 200);

        assertThat(result.relayed).hasSize(2).allMatch(batch -> batch.closes() == 1);
        assertThat(count(new ByteArrayInputStream(
                        server.send(server.request(query + "/result").header("Accept", ARROW))
                                .body())))
                .isEqualTo(3);
    }

    @Test
    void aClientThatLeavesHasNothingKeptForIt() throws Exception {
        for (int read = 0; read < 20; read++) {
            FakeResult result = numbers(Integer.MAX_VALUE, ROWS);
            RawClient client = new RawClient(server.port()).post(ARROW, "select 1");
            assertThat(client.head()).startsWith("HTTP/1.1 200");
            client.socket.getInputStream().readNBytes(read * 100_000);
            if (read % 2 == 0) {
                client.close();
            } else {
                client.reset();
            }
            await().untilTrue(result.closed);
            await().untilAsserted(() -> assertThat(result.relayed).allMatch(batch -> batch.closes() == 1));
        }
    }

    @Test
    void aClientThatLeavesBeforeTheFirstBatchHasNothingKeptForIt() throws Exception {
        CountDownLatch engine = new CountDownLatch(1);
        CountDownLatch pulled = new CountDownLatch(1);
        BigIntVector n = new BigIntVector("n", server.allocator);
        FakeResult result = new FakeResult(VectorSchemaRoot.of(n), (root, index) -> {
                    pulled.countDown();
                    engine.await();
                    n.allocateNew(1);
                    root.setRowCount(1);
                    return true;
                })
                .encoded(server.allocator);
        server.queries.answer(result);
        RawClient client = new RawClient(server.port()).post(ARROW, "select 1");
        assertThat(pulled.await(60, TimeUnit.SECONDS)).isTrue();

        client.reset();

        assertThat(server.queries.last().cancelled.get(60, TimeUnit.SECONDS)).isEqualTo(CancelReason.CLIENT_GONE);
        engine.countDown();
        await().untilTrue(result.closed);
    }

    @Test
    void aSlowReaderIsNotReadAheadFor() throws Exception {
        FakeResult result = numbers(Integer.MAX_VALUE, ROWS);
        try (RawClient client = new RawClient(server.port()).post(ARROW, "select 1")) {
            client.head();
            int[] last = {-1};
            // Until nothing was pulled for as long as thousands of pulls take.
            await().pollInterval(250, TimeUnit.MILLISECONDS).until(() -> {
                int now = result.pulls.get();
                boolean still = now == last[0];
                last[0] = now;
                return still;
            });
            assertThat(result.pulls.get()).isLessThan(64);
            assertThat(result.relayed.stream().filter(batch -> batch.closes() == 0))
                    .hasSizeLessThanOrEqualTo(2);
        }
        await().untilTrue(result.closed);
    }

    @Test
    void aFailureInTheMiddleBreaksTheAnswerOff() throws Exception {
        FakeResult result = FakeResult.numbers(
                        server.allocator,
                        40,
                        ROWS,
                        new GatewayException(GatewayErrorCode.ENGINE_LOST, "The worker is lost."))
                .encoded(server.allocator);
        server.queries.answer(result);
        try (RawClient client = new RawClient(server.port()).post(ARROW, "select 1")) {
            assertThat(client.head()).startsWith("HTTP/1.1 200");
            assertThat(client.readTo(new ByteArrayOutputStream())).isEqualTo(RawClient.End.RESET);
        }
        await().untilTrue(result.closed);
    }
}
