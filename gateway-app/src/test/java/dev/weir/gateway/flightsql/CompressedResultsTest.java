package dev.weir.gateway.flightsql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.weir.engine.StatementKind;
import dev.weir.gateway.flightsql.FakeQueries.Script;
import dev.weir.gateway.query.CancelReason;
import dev.weir.gateway.query.EveryType;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Results whose buffers are compressed. The harness fails when memory was not given back. */
class CompressedResultsTest {

    /** 24 MB when it is not compressed, which makes several messages. */
    private static final int MANY_ROWS = 3_000_000;

    private final FrontHarness harness = new FrontHarness();
    private final FakeQueries queries = harness.queries;

    @BeforeEach
    void scripts() {
        queries.scripts.put("nothing", Script.numbers(2, 0));
        queries.scripts.put("large", Script.numbers(2, MANY_ROWS));
        queries.scripts.put("endless", Script.numbers(Integer.MAX_VALUE, 128 << 10));
        queries.scripts.put("update", Script.update(7));
        queries.scripts.put(
                "types",
                new Script(StatementKind.QUERY, EveryType.SCHEMA, FakeQueries.NONE, 3, 0, OptionalLong.empty()));
        queries.fillers.put("types", root -> EveryType.fill(root, 1000));
        queries.fillers.put("large", root -> {
            BigIntVector numbers = (BigIntVector) root.getVector(0);
            numbers.allocateNew(MANY_ROWS);
            for (int i = 0; i < MANY_ROWS; i++) {
                numbers.set(i, 42);
            }
            root.setRowCount(MANY_ROWS);
        });
    }

    @AfterEach
    void close() throws Exception {
        harness.close();
    }

    private static FlightStream open(FlightSqlClient client, String statement) {
        return client.getStream(client.execute(statement).getEndpoints().get(0).getTicket());
    }

    @ParameterizedTest
    @CsvSource({"zstd,false", "zstd,true", "lz4,false", "lz4,true", "none,true"})
    void everyTypeArrivesAsItWas(String compression, boolean encoded) throws Exception {
        queries.encoded = encoded;
        FlightSqlClient client = harness.as("ann", "weir-compression", compression);
        try (VectorSchemaRoot expected = VectorSchemaRoot.create(EveryType.SCHEMA, harness.allocator)) {
            EveryType.fill(expected, 1000);
            int batches = 0;
            try (FlightStream stream = open(client, "types")) {
                while (stream.next()) {
                    assertThat(EveryType.cells(stream.getRoot())).isEqualTo(EveryType.cells(expected));
                    batches++;
                }
            }
            assertThat(batches).isEqualTo(3);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"zstd", "lz4"})
    void noRowsAndCountsAreReadAsEver(String compression) throws Exception {
        FlightSqlClient client = harness.as("ann", "weir-compression", compression);
        try (FlightStream stream = open(client, "nothing")) {
            assertThat(stream.getSchema()).isEqualTo(FakeQueries.NUMBERS);
            assertThat(stream.next()).isFalse();
        }
        assertThat(client.executeUpdate("update")).isEqualTo(7);
        assertThat(FrontHarness.read(client, client.execute("update"))).containsExactly(7L);
    }

    /** A client that takes messages of 1 MiB shows that they are compressed, and that slices are sent. */
    @ParameterizedTest
    @ValueSource(strings = {"zstd", "lz4"})
    void messagesAreAsSmallAsWhatIsInThem(String compression) throws Exception {
        String[] credentials = {"authorization", FrontHarness.basic("ann", FakeAuthenticator.passwordOf("ann"))};
        FlightClient limited = harness.flight(FlightClient.builder().maxInboundMessageSize(1 << 20), credentials);
        FlightSqlClient plain = harness.as("ann");
        FlightSqlClient client = harness.as("ann", "weir-compression", compression);

        try (FlightStream stream =
                limited.getStream(plain.execute("large").getEndpoints().get(0).getTicket())) {
            FlightRuntimeException tooLarge = catchThrowableOfType(FlightRuntimeException.class, stream::next);
            assertThat(tooLarge.status().code()).isEqualTo(FlightStatusCode.RESOURCE_EXHAUSTED);
        }
        // The ticket knows what its FlightInfo was asked for with.
        long rows = 0;
        int messages = 0;
        try (FlightStream stream =
                limited.getStream(client.execute("large").getEndpoints().get(0).getTicket())) {
            while (stream.next()) {
                BigIntVector numbers = (BigIntVector) stream.getRoot().getVector(0);
                rows += numbers.getValueCount();
                messages++;
                assertThat(numbers.get(0)).isEqualTo(42);
                assertThat(numbers.get(numbers.getValueCount() - 1)).isEqualTo(42);
            }
        }
        assertThat(rows).isEqualTo(2L * MANY_ROWS);
        assertThat(messages).isGreaterThan(4);
    }

    @Test
    void aReaderThatTakesNothingHasFewBatchesPulledAndEndsItsQueryByLeaving() throws Exception {
        FlightSqlClient client = harness.as("ann", "weir-compression", "zstd");
        try (FlightStream stream = open(client, "endless")) {
            assertThat(stream.next()).isTrue();
            // Some 100 KB a batch after compression.
            await().during(Duration.ofMillis(500))
                    .atMost(Duration.ofSeconds(20))
                    .until(() -> queries.last().numbers.pulls.get() < 300);
            stream.cancel("enough", null);
        }
        await().until(() ->
                queries.last().done.isDone() && queries.last().numbers.closes.get() > 0);
        assertThat(queries.last().cancels).containsExactly(CancelReason.CLIENT_GONE);
    }

    @Test
    void anUnknownCodecIsRefusedWithTheKnownOnes() throws Exception {
        queries.scripts.put("numbers", Script.numbers(1, 2));
        FlightSqlClient client = harness.as("ann", "weir-compression", "brotli");
        FlightRuntimeException refused =
                catchThrowableOfType(FlightRuntimeException.class, () -> client.execute("numbers"));
        assertThat(refused.status().code()).isEqualTo(FlightStatusCode.INVALID_ARGUMENT);
        assertThat(refused).hasMessageContaining("weir-compression").hasMessageContaining("none, zstd or lz4");
        assertThat(FrontHarness.read(harness.as("ann"), harness.as("ann").execute("numbers")))
                .isEqualTo(List.of(0L, 1L));
    }
}
