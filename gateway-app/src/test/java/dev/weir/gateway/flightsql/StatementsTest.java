package dev.weir.gateway.flightsql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import dev.weir.admission.Priority;
import dev.weir.engine.StatementKind;
import dev.weir.gateway.flightsql.FakeQueries.Script;
import dev.weir.gateway.query.Front;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import dev.weir.gateway.query.QueryRequest;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.apache.arrow.flight.sql.impl.FlightSql;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class StatementsTest {

    private final FrontHarness harness = new FrontHarness();
    private final FakeQueries queries = harness.queries;

    @BeforeEach
    void scripts() {
        queries.scripts.put("numbers", Script.numbers(3, 2));
        queries.scripts.put("nothing", Script.numbers(0, 0));
        queries.scripts.put("insert", Script.update(7));
        queries.scripts.put("create", Script.ddl());
        queries.scripts.put(
                "returning",
                new Script(StatementKind.DML, FakeQueries.NUMBERS, FakeQueries.NONE, 2, 3, OptionalLong.empty()));
    }

    @AfterEach
    void close() throws Exception {
        harness.close();
    }

    @Test
    void aQueryIsDescribedFirstAndRunWhenItsTicketIsRedeemed() throws Exception {
        FlightSqlClient client = harness.as("ann");

        FlightInfo info = client.execute("numbers");

        assertThat(queries.executions).isEmpty();
        assertThat(info.getSchemaOptional()).contains(FakeQueries.NUMBERS);
        assertThat(info.getEndpoints()).hasSize(1);
        assertThat(info.getEndpoints().get(0).getLocations()).isEmpty();
        assertThat(FrontHarness.read(client, info)).containsExactly(0L, 1L, 2L, 3L, 4L, 5L);
        assertThat(queries.last().identity.user()).isEqualTo("ann");
        assertThat(queries.last().request).isEqualTo(QueryRequest.of(Front.FLIGHT_SQL, "numbers"));
    }

    @Test
    void aTicketIsAPackedMessage() throws Exception {
        FlightInfo info = harness.as("ann").execute("numbers");

        Any packed = Any.parseFrom(info.getEndpoints().get(0).getTicket().getBytes());

        assertThat(packed.is(FlightSql.TicketStatementQuery.class)).isTrue();
    }

    @Test
    void theStreamHasTheSchemaOfTheInfo() throws Exception {
        FlightSqlClient client = harness.as("ann");
        for (String sql : List.of("numbers", "nothing", "insert", "create", "returning")) {
            FlightInfo info = client.execute(sql);
            try (FlightStream stream =
                    client.getStream(info.getEndpoints().get(0).getTicket())) {
                while (stream.next()) {}
                assertThat(stream.getSchema())
                        .as(sql)
                        .isEqualTo(info.getSchemaOptional().orElseThrow());
            }
            assertThat(client.getExecuteSchema(sql).getSchema())
                    .as(sql)
                    .isEqualTo(info.getSchemaOptional().orElseThrow());
        }
    }

    @Test
    void anEmptyResultSendsItsSchemaAndEnds() throws Exception {
        FlightSqlClient client = harness.as("ann");

        FlightInfo info = client.execute("nothing");

        try (FlightStream stream = client.getStream(info.getEndpoints().get(0).getTicket())) {
            assertThat(stream.getSchema()).isEqualTo(FakeQueries.NUMBERS);
            assertThat(stream.next()).isFalse();
        }
    }

    @Test
    void aStatementWithoutRowsGivesItsCount() throws Exception {
        FlightSqlClient client = harness.as("ann");

        FlightInfo insert = client.execute("insert");
        FlightInfo create = client.execute("create");

        assertThat(insert.getSchemaOptional()).contains(ArrowSchemas.COUNT);
        assertThat(create.getSchemaOptional()).contains(ArrowSchemas.COUNT);
        assertThat(FrontHarness.read(client, insert)).containsExactly(7L);
        assertThat(FrontHarness.read(client, create)).isEmpty();
    }

    @Test
    void oneRoundTripIsEnough() throws Exception {
        Ticket ticket = new Ticket(Any.pack(FlightSql.CommandStatementQuery.newBuilder()
                        .setQuery("numbers")
                        .build())
                .toByteArray());

        assertThat(FrontHarness.read(harness.flightAs("ann"), ticket)).hasSize(6);
        assertThat(queries.described).isEmpty();
    }

    @Test
    void theQueryFinishesAndEverythingDeliveredIsCounted() throws Exception {
        FlightSqlClient client = harness.as("ann");
        queries.scripts.put("many", Script.numbers(20, 1_000));

        assertThat(FrontHarness.read(client, client.execute("many")))
                .containsExactlyElementsOf(LongStream.range(0, 20_000).boxed().toList());

        assertThat(queries.last().done.get().state().name()).isEqualTo("FINISHED");
        assertThat(queries.last().numbers.delivered).hasValueGreaterThanOrEqualTo(20L * 1_000 * 8);
        assertThat(queries.last().numbers.closes).hasPositiveValue();
    }

    @Test
    void aBatchTooLargeForClientsIsSentInSlices() throws Exception {
        FlightSqlClient client = harness.as("ann");
        int rows = 3 << 20;
        queries.scripts.put("large", Script.numbers(1, rows));

        FlightInfo info = client.execute("large");
        long seen = 0;
        int largest = 0;
        int batches = 0;
        try (FlightStream stream = client.getStream(info.getEndpoints().get(0).getTicket())) {
            while (stream.next()) {
                var vector =
                        (org.apache.arrow.vector.BigIntVector) stream.getRoot().getVector(0);
                int count = stream.getRoot().getRowCount();
                assertThat(vector.get(0)).isEqualTo(seen);
                assertThat(vector.get(count - 1)).isEqualTo(seen + count - 1);
                seen += count;
                largest = Math.max(largest, vector.getBufferSize());
                batches++;
            }
        }

        assertThat(seen).isEqualTo(rows);
        assertThat(batches).isGreaterThan(1);
        assertThat(largest).isLessThan(12 << 20);
    }

    @Test
    void anUpdateGivesTheTrueCount() {
        FlightSqlClient client = harness.as("ann");

        assertThat(client.executeUpdate("insert")).isEqualTo(7);
        assertThat(client.executeUpdate("create")).isZero();
        assertThat(client.executeUpdate("returning")).isEqualTo(6);
        assertThat(client.executeUpdate("numbers")).isEqualTo(-1);
    }

    @Test
    void aReadsTicketCanBeRedeemedAgainAWritesOnce() throws Exception {
        FlightSqlClient client = harness.as("ann");
        FlightInfo read = client.execute("numbers");
        FlightInfo write = client.execute("returning");

        FrontHarness.read(client, read);
        FrontHarness.read(client, read);
        FrontHarness.read(client, write);

        assertThatThrownBy(() -> FrontHarness.read(client, write)).hasMessageContaining("once");
        assertThat(queries.executions).hasSize(3);
        assertThat(read.getEndpoints().get(0).getExpirationTime()).isPresent();
        assertThat(write.getEndpoints().get(0).getExpirationTime()).isEmpty();
    }

    @Test
    void aStatementWithoutRowsHasRunWhenItsInfoIsThereAndItsTicketOnlyGivesTheCount() throws Exception {
        FlightSqlClient client = harness.as("ann");

        FlightInfo info = client.execute("insert");
        assertThat(queries.executions).hasSize(1);
        assertThat(queries.executions.get(0).done).isCompleted();

        assertThat(FrontHarness.read(client, info)).containsExactly(7L);
        assertThat(FrontHarness.read(client, info)).containsExactly(7L);
        assertThat(FrontHarness.read(client, client.execute("create"))).isEmpty();
        assertThat(queries.executions).as("reading the tickets runs nothing").hasSize(2);
    }

    @Test
    void aStatementWithoutRowsThatFailsFailsAtItsInfo() {
        FlightSqlClient client = harness.as("ann");
        queries.failures.put("insert", new GatewayException(GatewayErrorCode.QUEUE_FULL, "The queue is full."));

        assertThatThrownBy(() -> client.execute("insert")).hasMessageContaining("full");
    }

    @Test
    void aWriteThatWasRefusedBeforeItsStartMayBeRedeemedAgain() throws Exception {
        FlightSqlClient client = harness.as("ann");
        FlightInfo write = client.execute("returning");
        queries.failures.put("returning", new GatewayException(GatewayErrorCode.QUEUE_FULL, "The queue is full."));

        assertThatThrownBy(() -> FrontHarness.read(client, write)).hasMessageContaining("full");
        queries.failures.clear();

        assertThat(FrontHarness.read(client, write)).hasSize(6);
    }

    @Test
    void aTicketOfAnotherUserIsForbidden() throws Exception {
        FlightInfo info = harness.as("ann").execute("numbers");

        assertStatus(() -> FrontHarness.read(harness.as("bob"), info), FlightStatusCode.UNAUTHORIZED, "another user");
    }

    @Test
    void anExpiredTicketIsGone() throws Exception {
        FlightSqlClient client = harness.as("ann");
        FlightInfo info = client.execute("numbers");
        harness.clock.advance(FrontHarness.TICKET_TTL.plusSeconds(1));

        assertStatus(() -> FrontHarness.read(client, info), FlightStatusCode.NOT_FOUND, "expired");
    }

    @Test
    void aChangedTicketIsRefused() throws Exception {
        FlightInfo info = harness.as("ann").execute("numbers");
        byte[] handle = Any.parseFrom(info.getEndpoints().get(0).getTicket().getBytes())
                .unpack(FlightSql.TicketStatementQuery.class)
                .getStatementHandle()
                .toByteArray();
        handle[handle.length / 2] ^= 1;
        Ticket changed = new Ticket(Any.pack(FlightSql.TicketStatementQuery.newBuilder()
                        .setStatementHandle(ByteString.copyFrom(handle))
                        .build())
                .toByteArray());

        assertStatus(
                () -> FrontHarness.read(harness.flightAs("ann"), changed),
                FlightStatusCode.INVALID_ARGUMENT,
                "changed");
    }

    @Test
    void whatIsNoFlightSqlIsRefusedAsSuch() {
        assertStatus(
                () -> FrontHarness.read(harness.flightAs("ann"), new Ticket(new byte[] {1, 2, 3})),
                FlightStatusCode.INVALID_ARGUMENT,
                "Flight SQL");
        assertStatus(
                () -> harness.flightAs("ann").getInfo(FlightDescriptor.path("a", "b")),
                FlightStatusCode.INVALID_ARGUMENT,
                "paths");
        assertStatus(
                () -> harness.flightAs("ann").getInfo(FlightDescriptor.command(new byte[] {9, 9})),
                FlightStatusCode.INVALID_ARGUMENT,
                "Flight SQL");
    }

    @Test
    void limitsAskedForInHeadersReachTheQuery() throws Exception {
        FlightSqlClient client = harness.as(
                "ann",
                "weir-timeout",
                "30s",
                "weir-queue-timeout",
                "500ms",
                "weir-memory",
                "64MB",
                "weir-class",
                "heavy",
                "weir-priority",
                "high");

        FrontHarness.read(client, client.execute("numbers"));

        QueryRequest request = queries.last().request;
        assertThat(request.statementTimeout()).contains(Duration.ofSeconds(30));
        assertThat(request.queueTimeout()).contains(Duration.ofMillis(500));
        assertThat(request.heavy()).isTrue();
        assertThat(request.priority()).isEqualTo(Priority.HIGH);
        assertThat(request.memoryBytes()).hasValue(64L << 20);
    }

    @Test
    void limitsAskedForAtTheInfoHoldForItsTicket() throws Exception {
        FlightInfo info = harness.as("ann", "weir-timeout", "30s", "weir-class", "heavy", "weir-priority", "low")
                .execute("numbers");

        FrontHarness.read(harness.as("ann", "weir-memory", "64MB"), info);

        assertThat(queries.last().request.statementTimeout()).contains(Duration.ofSeconds(30));
        assertThat(queries.last().request.memoryBytes()).hasValue(64L << 20);
        assertThat(queries.last().request.heavy()).isTrue();
        assertThat(queries.last().request.priority()).isEqualTo(Priority.LOW);
    }

    @Test
    void aBadLimitNamesItsHeader() {
        for (String[] header : new String[][] {
            {"weir-timeout", "soon"},
            {"weir-timeout", "-1s"},
            {"weir-timeout", "10"},
            {"weir-memory", "lots"},
            {"weir-queue-timeout", "0s"},
            {"weir-class", "short"},
            {"weir-priority", "urgent"}
        }) {
            assertStatus(
                    () -> harness.as("ann", header).execute("numbers"), FlightStatusCode.INVALID_ARGUMENT, header[0]);
        }
    }

    @Test
    void anUnknownTransactionIsNotFound() {
        byte[] command = Any.pack(FlightSql.CommandStatementQuery.newBuilder()
                        .setQuery("numbers")
                        .setTransactionId(ByteString.copyFromUtf8("t"))
                        .build())
                .toByteArray();

        assertStatus(
                () -> harness.flightAs("ann").getInfo(FlightDescriptor.command(command)),
                FlightStatusCode.NOT_FOUND,
                "no such transaction");
    }

    static void assertStatus(
            org.assertj.core.api.ThrowableAssert.ThrowingCallable call, FlightStatusCode code, String words) {
        assertThatThrownBy(call).isInstanceOfSatisfying(FlightRuntimeException.class, e -> {
            assertThat(e.status().code()).isEqualTo(code);
            assertThat(e.getMessage()).contains(words);
        });
    }
}
