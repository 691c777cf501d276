package dev.weir.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.gateway.query.CancelReason;
import dev.weir.gateway.query.ErrorDetails;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import dev.weir.gateway.query.QueryState;
import dev.weir.gateway.query.ResultStream;
import java.io.ByteArrayOutputStream;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that leave, stop reading, or never read; on bare sockets. */
class DisconnectTest {

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

    /** How a client leaves. */
    enum Leaving {
        CLOSE {
            @Override
            void leave(RawClient client) throws Exception {
                client.close();
            }
        },
        RESET {
            @Override
            void leave(RawClient client) throws Exception {
                client.reset();
            }
        };

        abstract void leave(RawClient client) throws Exception;
    }

    private FakeQueryService.Execution submitted(int before) {
        await().until(() -> server.queries.executions.size() > before);
        return server.queries.last();
    }

    @ParameterizedTest
    @EnumSource(Leaving.class)
    void aClientThatLeavesTheQueueCancels(Leaving how) throws Exception {
        CompletableFuture<ResultStream> never = new CompletableFuture<>();
        server.queries.answer(r -> never);
        int before = server.queries.executions.size();
        RawClient client = new RawClient(server.port()).post("text/csv", "select 1");
        FakeQueryService.Execution execution = submitted(before);

        how.leave(client);

        assertThat(execution.cancelled.get(60, TimeUnit.SECONDS)).isEqualTo(CancelReason.CLIENT_GONE);
    }

    @ParameterizedTest
    @EnumSource(Leaving.class)
    void aClientThatLeavesBeforeTheFirstByteCancels(Leaving how) throws Exception {
        CountDownLatch engine = new CountDownLatch(1);
        CountDownLatch pulled = new CountDownLatch(1);
        BigIntVector n = new BigIntVector("n", server.allocator);
        FakeResult result = new FakeResult(VectorSchemaRoot.of(n), (root, index) -> {
            pulled.countDown();
            engine.await();
            return false;
        });
        server.queries.answer(result);
        int before = server.queries.executions.size();
        RawClient client = new RawClient(server.port()).post("text/csv", "select 1");
        FakeQueryService.Execution execution = submitted(before);
        assertThat(pulled.await(60, TimeUnit.SECONDS)).isTrue();

        how.leave(client);

        assertThat(execution.cancelled.get(60, TimeUnit.SECONDS)).isEqualTo(CancelReason.CLIENT_GONE);
        engine.countDown();
        await().untilTrue(result.closed);
    }

    @ParameterizedTest
    @EnumSource(Leaving.class)
    void aClientThatLeavesInTheMiddleClosesTheStream(Leaving how) throws Exception {
        FakeResult result = FakeResult.numbers(server.allocator, Integer.MAX_VALUE, ROWS);
        server.queries.answer(result);
        RawClient client = new RawClient(server.port()).post("application/vnd.apache.arrow.stream", "select 1");
        assertThat(client.head()).startsWith("HTTP/1.1 200");

        how.leave(client);

        await().untilTrue(result.closed);
        assertThat(result.ended()).isFalse();
    }

    @Test
    void aClientThatLeavesWhileTheEngineWorksOnTheNextBatchClosesTheStream() throws Exception {
        CountDownLatch engine = new CountDownLatch(1);
        BigIntVector n = new BigIntVector("n", server.allocator);
        FakeResult result = new FakeResult(VectorSchemaRoot.of(n), (root, index) -> {
            if (index == 1) {
                engine.await();
            }
            n.allocateNew(ROWS);
            for (int i = 0; i < ROWS; i++) {
                n.set(i, i);
            }
            root.setRowCount(ROWS);
            return true;
        });
        server.queries.answer(result);
        RawClient client = new RawClient(server.port()).post("text/csv", "select 1");
        assertThat(client.head()).startsWith("HTTP/1.1 200");
        await().until(() -> result.pulls.get() == 2);

        client.close();

        await().untilTrue(result.closed);
        await().until(() -> server.queries.last().state == QueryState.CANCELLED);
        engine.countDown();
    }

    @ParameterizedTest
    @EnumSource(ResultFormat.class)
    void aClientThatReadsNothingIsNotReadAheadFor(ResultFormat format) throws Exception {
        FakeResult result = FakeResult.numbers(server.allocator, Integer.MAX_VALUE, ROWS);
        server.queries.answer(result);
        try (RawClient client =
                new RawClient(server.port()).post(format.mediaType().toString(), "select 1")) {
            client.head();
            int[] last = {-1};
            // Until nothing was pulled for as long as thousands of pulls take.
            await().pollInterval(250, TimeUnit.MILLISECONDS).until(() -> {
                int now = result.pulls.get();
                boolean still = now == last[0];
                last[0] = now;
                return still;
            });
            // A batch is 256 KiB of Arrow: window, chunk and the system's socket buffers, which are 4 to 6 MB.
            assertThat(result.pulls.get()).isLessThan(64);
            assertThat(result.closed).isFalse();
        }
        await().untilTrue(result.closed);
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "zstd"})
    void compressionDoesNotReadAheadEither(String coding) throws Exception {
        java.util.Random random = new java.util.Random(7);
        BigIntVector n = new BigIntVector("n", server.allocator);
        FakeResult result = new FakeResult(VectorSchemaRoot.of(n), (root, index) -> {
            n.allocateNew(ROWS);
            for (int i = 0; i < ROWS; i++) {
                n.set(i, random.nextLong());
            }
            root.setRowCount(ROWS);
            return true;
        });
        server.queries.answer(result);
        try (RawClient client = new RawClient(server.port())
                .post("application/vnd.apache.arrow.stream", "select 1", "Accept-Encoding: " + coding)) {
            assertThat(client.head()).containsIgnoringCase("content-encoding: " + coding);
            int[] last = {-1};
            await().pollInterval(250, TimeUnit.MILLISECONDS).until(() -> {
                int now = result.pulls.get();
                boolean still = now == last[0];
                last[0] = now;
                return still;
            });
            assertThat(result.pulls.get()).isLessThan(64);
        }
        await().untilTrue(result.closed);
    }

    @Test
    void aStalledClientsConnectionIsReset() throws Exception {
        FakeResult result = FakeResult.numbers(server.allocator, Integer.MAX_VALUE, ROWS);
        server.queries.answer(result);
        try (RawClient client = new RawClient(server.port()).post("application/x-ndjson", "select 1")) {
            client.head();
            await().until(() -> result.deliveredBytes.get() > 0);

            result.aborted.complete(
                    new GatewayException(GatewayErrorCode.CLIENT_STALLED, "stalled", ErrorDetails.NONE));

            await().untilTrue(result.closed);
            assertThat(client.readTo(new ByteArrayOutputStream())).isEqualTo(RawClient.End.RESET);
        }
    }

    @Test
    void aWholeAnswerThatIsNotTakenDoesNotKeepTheQueryOpen() throws Exception {
        // One chunk that fits no socket buffer of a client that does not read is not to be had; so: abort while
        // written.
        FakeResult result = FakeResult.numbers(server.allocator, 1, 1);
        server.queries.answer(result);
        try (RawClient client = new RawClient(server.port()).post("text/csv", "select 1")) {
            assertThat(client.head()).contains("200");
            await().untilTrue(result.closed);
            assertThat(server.queries.last().state).isEqualTo(QueryState.FINISHED);
        }
    }

    @Test
    void aConnectionServesManyRequestsAndKeepsNoListenerOfThem() throws Exception {
        try (RawClient client = new RawClient(server.port())) {
            for (int i = 0; i < 50; i++) {
                server.queries.answer(FakeResult.numbers(server.allocator, 1, 1));
                client.post("text/csv", "select 1");
                assertThat(client.head()).startsWith("HTTP/1.1 200");
                assertThat(new String(
                                client.socket.getInputStream().readNBytes(6),
                                java.nio.charset.StandardCharsets.US_ASCII))
                        .isEqualTo("n\r\n0\r\n");
            }
        }
        assertThat(server.queries.last().cancelled).isNotDone();
    }
}
