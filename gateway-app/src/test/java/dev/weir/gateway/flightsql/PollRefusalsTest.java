package dev.weir.gateway.flightsql;

import static dev.weir.gateway.flightsql.PollClient.descriptor;
import static dev.weir.gateway.flightsql.PollClient.refused;
import static dev.weir.gateway.flightsql.PollClient.status;
import static dev.weir.gateway.flightsql.PollClient.ticket;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import dev.weir.gateway.flightsql.FakeQueries.Script;
import dev.weir.gateway.query.CancelReason;
import dev.weir.gateway.query.ErrorDetails;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.arrow.flight.CancelFlightInfoRequest;
import org.apache.arrow.flight.CancelStatus;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.PollInfo;
import org.apache.arrow.flight.SessionOptionValueFactory;
import org.apache.arrow.flight.SetSessionOptionsRequest;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.flight.client.ClientCookieMiddleware;
import org.apache.arrow.flight.impl.Flight;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.apache.arrow.flight.sql.impl.FlightSql;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What polls refuse, how polled queries are cancelled, and what else can be polled. */
class PollRefusalsTest {

    private static final Field ID = Field.nullable("1", new ArrowType.Int(64, true));

    private final FrontHarness harness = new FrontHarness();
    private final FakeQueries queries = harness.queries;
    private final PollClient polls = new PollClient(harness);

    @BeforeEach
    void scripts() {
        queries.scripts.put("numbers", Script.numbers(3, 2));
        queries.scripts.put("select", Script.numbers(1, 2).withParameters(ID));
        queries.scripts.put("SELECT 1", Script.numbers(1, 1));
    }

    @AfterEach
    void close() throws Exception {
        polls.close();
        harness.close();
    }

    private PollInfo queued(FlightClient client) {
        queries.holdQueued = true;
        queries.position = 3;
        return client.pollInfo(command("numbers"));
    }

    private static FlightDescriptor command(String sql) {
        return FlightDescriptor.command(descriptor(sql).getCmd().toByteArray());
    }

    @Test
    void whatCannotBeRunIsRefusedBeforeItIsSubmitted() {
        refused(() -> polls.submit("ann", "nonsense"), GatewayErrorCode.INVALID_SQL, "Unknown table");

        assertThat(queries.executions).isEmpty();
    }

    @Test
    void aFullQueueIsRefusedWithTheTimeToTryAgain() throws Exception {
        ErrorDetails details = new ErrorDetails(
                "q-0",
                null,
                null,
                new ErrorDetails.Limit("user", "max-queued", "100"),
                Duration.ofSeconds(3),
                null,
                null,
                null,
                null);
        queries.failures.put("numbers", new GatewayException(GatewayErrorCode.QUEUE_FULL, "It is full.", details));

        StatusRuntimeException failure =
                refused(() -> polls.submit("ann", "numbers"), GatewayErrorCode.QUEUE_FULL, "full");

        com.google.rpc.Status status =
                com.google.rpc.Status.parseFrom(failure.getTrailers().get(FlightErrors.STATUS_DETAILS));
        assertThat(status.getDetails(0).unpack(ErrorInfo.class).getMetadataMap())
                .containsEntry("limitName", "max-queued")
                .containsEntry("started", "false");
        assertThat(status.getDetails(1).unpack(RetryInfo.class).getRetryDelay().getSeconds())
                .isEqualTo(3);
    }

    @Test
    void aDescriptorIsGoodForItsUserUnchangedAndInTime() throws Exception {
        queries.holdQueued = true;
        queries.position = 3;
        Flight.FlightDescriptor mine = polls.submit("ann", "numbers").getFlightDescriptor();

        refused(() -> polls.poll("bob", mine), GatewayErrorCode.FORBIDDEN, "another user");
        refused(() -> polls.poll("root", mine), GatewayErrorCode.FORBIDDEN, "another user");
        byte[] forged = Any.parseFrom(mine.getCmd())
                .unpack(FlightSql.TicketStatementQuery.class)
                .getStatementHandle()
                .toByteArray();
        forged[forged.length / 2] ^= 1;
        refused(() -> polls.poll("ann", packed(forged)), GatewayErrorCode.INVALID_REQUEST, "changed");
        refused(() -> polls.poll("ann", packed(new byte[] {1})), GatewayErrorCode.INVALID_REQUEST, "not a ticket");
        assertThat(queries.last().cancels).isEmpty();

        harness.clock.advance(FrontHarness.TICKET_TTL.plusSeconds(1));
        refused(() -> polls.poll("ann", mine), GatewayErrorCode.NOT_FOUND, "expired");
    }

    private static Flight.FlightDescriptor packed(byte[] handle) {
        return descriptor(FlightSql.TicketStatementQuery.newBuilder()
                .setStatementHandle(ByteString.copyFrom(handle))
                .build());
    }

    @Test
    void descriptorsAreNoTicketsAndTicketsNoDescriptors() throws Exception {
        FlightClient ann = harness.flightAs("ann");
        Flight.PollInfo complete = polls.submit("ann", "numbers");
        FlightInfo described = new FlightSqlClient(ann).execute("numbers");
        PollInfo waiting = queued(ann);
        byte[] next = waiting.getFlightDescriptor().orElseThrow().getCommand();

        StatementsTest.assertStatus(
                () -> FrontHarness.read(ann, new Ticket(next)), FlightStatusCode.INVALID_ARGUMENT, "to poll with");
        for (byte[] ticket : List.of(
                ticket(complete).getBytes(),
                described.getEndpoints().get(0).getTicket().getBytes())) {
            refused(
                    () -> polls.poll("ann", descriptor(ByteString.copyFrom(ticket))),
                    GatewayErrorCode.INVALID_REQUEST,
                    "This is a ticket");
        }
        assertThat(FrontHarness.read(ann, ticket(complete))).hasSize(6);
    }

    @Test
    void aQueryThatThisGatewayDoesNotKnowIsNotFound() {
        byte[] signed = new FakeSigner(harness.clock)
                .sign("ann", PollHandle.descriptor("q-elsewhere", "").encode(), Duration.ofMinutes(1));

        refused(() -> polls.poll("ann", packed(signed)), GatewayErrorCode.NOT_FOUND, "another gateway");
    }

    @Test
    void aQueuedQueryIsCancelledByTheInfoOfItsPoll() {
        FlightClient ann = harness.flightAs("ann");
        PollInfo waiting = queued(ann);

        assertThat(cancel(ann, waiting.getFlightInfo())).isEqualTo(CancelStatus.CANCELLED);

        assertThat(queries.last().cancels).containsExactly(CancelReason.CLIENT_CANCEL);
        StatementsTest.assertStatus(
                () -> ann.pollInfo(waiting.getFlightDescriptor().orElseThrow()),
                FlightStatusCode.CANCELLED,
                "cancelled");
        assertThat(cancel(ann, waiting.getFlightInfo())).as("again").isEqualTo(CancelStatus.CANCELLED);
    }

    @Test
    void anOpenResultIsCancelledWithoutItsMetadataToo() {
        FlightClient ann = harness.flightAs("ann");
        FlightInfo info = ann.pollInfo(command("numbers")).getFlightInfo();
        FlightInfo bare = FlightInfo.builder(FakeQueries.NUMBERS, command("numbers"), info.getEndpoints())
                .build();

        assertThat(cancel(ann, bare)).isEqualTo(CancelStatus.CANCELLED);

        assertThat(queries.last().cancels).containsExactly(CancelReason.CLIENT_CANCEL);
        assertThat(queries.last().numbers.closes).hasPositiveValue();
        StatementsTest.assertStatus(
                () -> FrontHarness.read(ann, info.getEndpoints().get(0).getTicket()),
                FlightStatusCode.CANCELLED,
                "cancelled");
    }

    @Test
    void theDescriptorToPollWithNamesTheQueryToCancelToo() {
        FlightClient ann = harness.flightAs("ann");
        FlightDescriptor next = queued(ann).getFlightDescriptor().orElseThrow();

        assertThat(cancel(
                        ann,
                        FlightInfo.builder(FakeQueries.NUMBERS, next, List.of()).build()))
                .isEqualTo(CancelStatus.CANCELLED);
    }

    @Test
    void onlyItsOwnerAndAdminsCancelIt() {
        FlightInfo info = queued(harness.flightAs("ann")).getFlightInfo();

        StatementsTest.assertStatus(
                () -> cancel(harness.flightAs("bob"), info), FlightStatusCode.NOT_FOUND, "no such query");
        assertThat(queries.last().cancels).isEmpty();
        assertThat(cancel(harness.flightAs("root"), info)).isEqualTo(CancelStatus.CANCELLED);
        assertThat(queries.last().cancels).containsExactly(CancelReason.ADMIN);
    }

    @Test
    void whatIsReadAlreadyCannotBeCancelled() throws Exception {
        FlightClient ann = harness.flightAs("ann");
        FlightInfo info = ann.pollInfo(command("numbers")).getFlightInfo();
        FrontHarness.read(ann, info.getEndpoints().get(0).getTicket());
        queries.last().done.get();

        assertThat(cancel(ann, info)).isEqualTo(CancelStatus.NOT_CANCELLABLE);
    }

    private static CancelStatus cancel(FlightClient client, FlightInfo info) {
        return client.cancelFlightInfo(new CancelFlightInfoRequest(info)).getStatus();
    }

    @Test
    void theSessionAndTheHeadersOfTheFirstPollCount() {
        FlightClient client = harness.flight(
                FlightClient.builder().intercept(new ClientCookieMiddleware.Factory()),
                "authorization",
                FrontHarness.basic("ann", FakeAuthenticator.passwordOf("ann")),
                "weir-timeout",
                "30s");
        client.setSessionOptions(new SetSessionOptionsRequest(
                Map.of("catalog", SessionOptionValueFactory.makeSessionOptionValue("lake"))));

        client.pollInfo(command("numbers"));

        assertThat(queries.last().request.settings().catalog()).isEqualTo("lake");
        assertThat(queries.last().request.statementTimeout()).contains(Duration.ofSeconds(30));
        assertThat(queries.described
                        .get(queries.described.size() - 1)
                        .settings()
                        .catalog())
                .isEqualTo("lake");
    }

    @Test
    void aPreparedStatementIsPolledWithItsParameters() throws Exception {
        FlightClient ann = harness.flightAs("ann");
        try (FlightSqlClient.PreparedStatement statement = new FlightSqlClient(ann).prepare("select")) {
            VectorSchemaRoot root = VectorSchemaRoot.create(
                    new org.apache.arrow.vector.types.pojo.Schema(List.of(ID)), harness.allocator);
            ((BigIntVector) root.getVector(0)).setSafe(0, 5);
            root.setRowCount(1);
            statement.setParameters(root);
            // Binds, and gives the command of the handle.
            FlightInfo bound = statement.execute();
            FlightDescriptor handle = bound.getDescriptor();

            FlightInfo info = ann.pollInfo(handle).getFlightInfo();

            assertThat(queries.executions).hasSize(1);
            assertThat(queries.last().request.parameterRows()).isEqualTo(List.of(List.of(5L)));
            assertThat(FrontHarness.read(ann, info.getEndpoints().get(0).getTicket()))
                    .hasSize(2);
        }
    }

    @Test
    void catalogQuestionsAreCompleteAtOnce() {
        Flight.PollInfo answer = polls.poll("ann", descriptor(FlightSql.CommandGetTableTypes.getDefaultInstance()));

        assertThat(answer.hasFlightDescriptor()).isFalse();
        assertThat(answer.getInfo().getEndpointList()).hasSize(1);
        assertThat(queries.executions).isEmpty();
    }

    @Test
    void anUnknownTransactionIsRefusedAsElsewhere() {
        FlightSql.CommandStatementQuery command = FlightSql.CommandStatementQuery.newBuilder()
                .setQuery("numbers")
                .setTransactionId(ByteString.copyFromUtf8("t"))
                .build();

        StatusRuntimeException failure = org.assertj.core.api.Assertions.catchThrowableOfType(
                StatusRuntimeException.class, () -> polls.poll("ann", descriptor(command)));

        assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.NOT_FOUND);
        assertThat(queries.executions).isEmpty();
    }

    @Test
    void theStatusHasTheIdOfTheQuery() {
        assertThat(status(polls.submit("ann", "numbers")).get("queryId").stringValue())
                .isEqualTo("q-0");
    }
}
