package dev.weir.gateway.flightsql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.weir.engine.StatementKind;
import dev.weir.gateway.flightsql.FakeQueries.Script;
import dev.weir.gateway.query.CancelReason;
import dev.weir.gateway.query.EveryType;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import dev.weir.gateway.query.QueryState;
import dev.weir.gateway.query.TestBatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Batches that come encoded and go on as they are. The harness fails when one of them was not given back. */
class RelayTest {

    /** 24 MB of numbers: more than some clients take in one message. */
    private static final int MANY_ROWS = 3_000_000;

    private final FrontHarness harness = new FrontHarness();
    private final FakeQueries queries = harness.queries;
    private final FlightSqlClient client = new FlightSqlClient(harness.flightAs("ann"));

    @BeforeEach
    void scripts() {
        queries.encoded = true;
        queries.scripts.put("numbers", Script.numbers(4, 2));
        queries.scripts.put("endless", Script.numbers(Integer.MAX_VALUE, 128 << 10));
        queries.scripts.put("large", Script.numbers(2, MANY_ROWS));
        queries.scripts.put("nothing", Script.numbers(2, 0));
        queries.scripts.put(
                "types",
                new Script(StatementKind.QUERY, EveryType.SCHEMA, FakeQueries.NONE, 3, 0, OptionalLong.empty()));
        queries.fillers.put("types", root -> EveryType.fill(root, 1000));
    }

    @AfterEach
    void close() throws Exception {
        harness.close();
    }

    @Test
    void everyBatchGoesThroughAndIsGivenBack() throws Exception {
        assertThat(FrontHarness.read(client, client.execute("numbers")))
                .containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L);

        await().until(() -> queries.last().done.isDone());
        assertThat(queries.last().done.join().state()).isEqualTo(QueryState.FINISHED);
        assertThat(queries.relayed).hasSize(4).allMatch(batch -> batch.closes() == 1);
        assertThat(queries.last().numbers.delivered.get()).isGreaterThan(4 * 2 * Long.BYTES);
    }

    @Test
    void everyTypeArrivesAsItWas() throws Exception {
        try (VectorSchemaRoot expected = VectorSchemaRoot.create(EveryType.SCHEMA, harness.allocator)) {
            EveryType.fill(expected, 1000);
            int batches = 0;
            try (FlightStream stream = open("types")) {
                while (stream.next()) {
                    assertThat(stream.getRoot().getSchema()).isEqualTo(EveryType.SCHEMA);
                    assertThat(EveryType.cells(stream.getRoot())).isEqualTo(EveryType.cells(expected));
                    batches++;
                }
            }
            assertThat(batches).isEqualTo(3);
        }
    }

    @Test
    void aResultWithoutRowsIsItsSchema() throws Exception {
        try (FlightStream stream = open("nothing")) {
            assertThat(stream.getSchema()).isEqualTo(FakeQueries.NUMBERS);
            assertThat(stream.next()).isFalse();
        }
    }

    @Test
    void aBatchBeyondTheClientsMessageLimitComesInParts() throws Exception {
        FlightClient limited = harness.flight(
                FlightClient.builder().maxInboundMessageSize(RelayedBatches.MAX_MESSAGE_BYTES),
                "authorization",
                FrontHarness.basic("ann", FakeAuthenticator.passwordOf("ann")));
        FlightInfo info = client.execute("large");
        List<Integer> sizes = new ArrayList<>();
        try (FlightStream stream = limited.getStream(info.getEndpoints().get(0).getTicket())) {
            long next = 0;
            while (stream.next()) {
                var numbers =
                        (org.apache.arrow.vector.BigIntVector) stream.getRoot().getVector(0);
                sizes.add(numbers.getValueCount());
                assertThat(numbers.get(0)).isEqualTo(next);
                next += numbers.getValueCount();
                assertThat(numbers.get(numbers.getValueCount() - 1)).isEqualTo(next - 1);
            }
            assertThat(next).isEqualTo(2L * MANY_ROWS);
        }
        assertThat(sizes).hasSizeGreaterThan(4);
        assertThat(queries.relayed).hasSize(2).allMatch(batch -> batch.closes() == 1);
    }

    @Test
    void aReaderThatTakesNothingHasFewBatchesPulledForIt() throws Exception {
        try (FlightStream stream = open("endless")) {
            assertThat(stream.next()).isTrue();
            // 1 MiB a batch; the transport's threshold and window, and the client's own queue of a few messages.
            await().during(Duration.ofMillis(500))
                    .atMost(Duration.ofSeconds(20))
                    .until(() -> queries.last().numbers.pulls.get() < 30);
            int pulled = queries.last().numbers.pulls.get();
            assertThat(queries.relayed.stream().filter(batch -> batch.closes() == 0))
                    .as("at most one in hand; what the transport holds are its own bytes")
                    .hasSizeLessThanOrEqualTo(1);
            for (int batch = 0; batch < 40; batch++) {
                assertThat(stream.next()).isTrue();
            }
            assertThat(queries.last().numbers.pulls.get()).isGreaterThan(pulled);
            stream.cancel("enough", null);
        }
        await().until(() -> queries.last().done.isDone());
    }

    @Test
    void aClientThatCancelsInTheMiddleEndsTheQuery() throws Exception {
        for (int read = 1; read < 20; read++) {
            try (FlightStream stream = open("endless")) {
                for (int batch = 0; batch < read; batch++) {
                    assertThat(stream.next()).isTrue();
                }
                stream.cancel("enough", null);
            }
            FakeQueries.Execution query = queries.last();
            await().until(() -> query.done.isDone() && query.numbers.closes.get() > 0);
            assertThat(query.cancels).containsExactly(CancelReason.CLIENT_GONE);
        }
        await().untilAsserted(() -> assertThat(queries.relayed).allMatch(batch -> batch.closes() == 1));
    }

    @Test
    void aClientThatCancelsWhileTheEngineWorksHasNothingKeptForIt() throws Exception {
        queries.holdBatches = true;
        try (FlightStream stream = open("numbers")) {
            await().until(() -> !queries.executions.isEmpty()
                    && queries.last().numbers != null
                    && queries.last().numbers.pulls.get() == 1);
            stream.cancel("enough", null);
        }

        await().until(() -> queries.last().done.isDone());
        assertThat(queries.last().cancels).containsExactly(CancelReason.CLIENT_GONE);
        assertThat(queries.relayed).isEmpty();
    }

    @Test
    void aFailureInTheMiddleIsTheClientsToo() throws Exception {
        queries.holdBatches = true;
        try (FlightStream stream = open("numbers")) {
            await().until(() -> !queries.executions.isEmpty()
                    && queries.last().numbers.pulls.get() == 1);
            queries.last().numbers.give();
            assertThat(stream.next()).isTrue();
            await().until(() -> queries.last().numbers.pulls.get() == 2);
            queries.last().numbers.fail(new GatewayException(GatewayErrorCode.ENGINE_LOST, "The worker is lost."));

            FlightRuntimeException failure = catchThrowableOfType(FlightRuntimeException.class, stream::next);
            assertThat(failure.status().code()).isEqualTo(FlightStatusCode.UNAVAILABLE);
            assertThat(failure).hasMessageContaining("The worker is lost.");
        }
    }

    @Test
    void aQueryEndedElsewhereWhileTheClientDoesNotReadEndsTheCall() throws Exception {
        try (FlightStream stream = open("endless")) {
            assertThat(stream.next()).isTrue();
            GatewayException stalled =
                    new GatewayException(GatewayErrorCode.CLIENT_STALLED, "The client took nothing.");
            queries.last().end(QueryState.FAILED, stalled.code(), stalled.text());
            queries.last().numbers.abort(stalled);

            await().until(() -> queries.last().numbers.closes.get() > 0);
            FlightRuntimeException failure = catchThrowableOfType(FlightRuntimeException.class, () -> {
                while (stream.next()) {}
            });
            assertThat(failure.status().code()).isEqualTo(FlightStatusCode.TIMED_OUT);
        }
    }

    @Test
    void numbersAddUpOverManyStreams() throws Exception {
        queries.scripts.put("many", Script.numbers(200, 50));
        List<Long> expected = LongStream.range(0, 200 * 50).boxed().toList();
        for (int stream = 0; stream < 5; stream++) {
            assertThat(FrontHarness.read(client, client.execute("many"))).isEqualTo(expected);
        }
        assertThat(queries.relayed).hasSize(1000).extracting(TestBatch::closes).containsOnly(1);
    }

    private FlightStream open(String statement) {
        return client.getStream(client.execute(statement).getEndpoints().get(0).getTicket());
    }
}
