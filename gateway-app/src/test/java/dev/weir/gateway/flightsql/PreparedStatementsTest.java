package dev.weir.gateway.flightsql;

import static dev.weir.gateway.flightsql.StatementsTest.assertStatus;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import dev.weir.gateway.flightsql.FakeQueries.Script;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.arrow.flight.Action;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.SyncPutListener;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.apache.arrow.flight.sql.FlightSqlClient.PreparedStatement;
import org.apache.arrow.flight.sql.FlightSqlUtils;
import org.apache.arrow.flight.sql.impl.FlightSql;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PreparedStatementsTest {

    private static final Field ID = Field.nullable("1", new ArrowType.Int(64, true));

    private final FrontHarness harness = new FrontHarness();
    private final FakeQueries queries = harness.queries;
    private final FlightClient ann = harness.flightAs("ann");
    private final FlightSqlClient client = new FlightSqlClient(ann);

    @BeforeEach
    void scripts() {
        queries.scripts.put("select", Script.numbers(1, 2).withParameters(ID));
        queries.scripts.put("plain", Script.numbers(1, 2));
        queries.scripts.put("insert", Script.update(2).withParameters(ID));
        queries.scripts.put("create", Script.ddl());
    }

    @AfterEach
    void close() throws Exception {
        harness.close();
    }

    @Test
    void preparingOnlyDescribes() {
        try (PreparedStatement statement = client.prepare("insert")) {
            assertThat(statement.getParameterSchema().getFields()).containsExactly(ID);
        }

        assertThat(queries.executions).isEmpty();
    }

    @Test
    void theDatasetSchemaIsEmptyExactlyForStatementsWithoutRows() throws Exception {
        assertThat(prepared("plain").getDatasetSchema().isEmpty()).isFalse();
        assertThat(prepared("insert").getDatasetSchema().isEmpty()).isTrue();
        assertThat(prepared("create").getDatasetSchema().isEmpty()).isTrue();
        try (PreparedStatement statement = client.prepare("plain")) {
            assertThat(statement.getResultSetSchema()).isEqualTo(FakeQueries.NUMBERS);
            assertThat(statement.fetchSchema().getSchema()).isEqualTo(FakeQueries.NUMBERS);
        }
    }

    @Test
    void theParameterSchemaIsAlwaysSet() throws Exception {
        assertThat(prepared("plain").getParameterSchema().isEmpty()).isFalse();
        try (PreparedStatement statement = client.prepare("plain")) {
            assertThat(statement.getParameterSchema().getFields()).isEmpty();
        }
    }

    @Test
    void aParameterWithoutTypeIsShownAsTextAndLeavesTheSchemaToTheStream() throws Exception {
        queries.scripts.put("open", Script.numbers(1, 2).withParameters(Field.nullable("1", new ArrowType.Null())));
        try (PreparedStatement statement = client.prepare("open")) {
            assertThat(statement.getParameterSchema().getFields())
                    .containsExactly(Field.nullable("1", new ArrowType.Utf8()));
            statement.setParameters(ids(5));

            FlightInfo info = statement.execute();

            assertThat(info.getSchemaOptional()).isEmpty();
            assertThat(FrontHarness.read(client, info)).hasSize(2);
        }
    }

    @Test
    void timesAreAskedForInMilliseconds() {
        queries.scripts.put(
                "times",
                Script.numbers(1, 2)
                        .withParameters(
                                Field.nullable("1", new ArrowType.Timestamp(TimeUnit.MICROSECOND, null)),
                                Field.nullable("2", new ArrowType.Timestamp(TimeUnit.NANOSECOND, "UTC")),
                                Field.nullable("3", new ArrowType.Time(TimeUnit.MICROSECOND, 64)),
                                ID));
        try (PreparedStatement statement = client.prepare("times")) {
            assertThat(statement.getParameterSchema().getFields())
                    .containsExactly(
                            Field.nullable("1", new ArrowType.Timestamp(TimeUnit.MILLISECOND, null)),
                            Field.nullable("2", new ArrowType.Timestamp(TimeUnit.MILLISECOND, "UTC")),
                            Field.nullable("3", new ArrowType.Time(TimeUnit.MILLISECOND, 32)),
                            ID);
        }
    }

    @Test
    void oneHandleServesManyExecutionsWithItsOwnParameters() throws Exception {
        try (PreparedStatement statement = client.prepare("select")) {
            for (long id : new long[] {5, 6}) {
                statement.setParameters(ids(id));
                assertThat(FrontHarness.read(client, statement.execute())).hasSize(2);
                assertThat(queries.last().request.parameterRows()).isEqualTo(List.of(List.of(id)));
            }
        }

        assertThat(queries.executions).hasSize(2);
    }

    @Test
    void aTicketKeepsTheParametersItWasIssuedWith() throws Exception {
        try (PreparedStatement statement = client.prepare("select")) {
            statement.setParameters(ids(5));
            FlightInfo first = statement.execute();
            statement.setParameters(ids(6));
            statement.execute();

            FrontHarness.read(client, first);

            assertThat(queries.last().request.parameterRows()).isEqualTo(List.of(List.of(5L)));
        }
    }

    @Test
    void nullParametersAreNull() throws Exception {
        try (PreparedStatement statement = client.prepare("select")) {
            VectorSchemaRoot root = ids(0);
            root.getVector(0).setNull(0);
            statement.setParameters(root);

            FrontHarness.read(client, statement.execute());

            assertThat(queries.last().request.parameterRows().get(0).get(0)).isNull();
        }
    }

    @Test
    void manyRowsAreOneUpdate() {
        try (PreparedStatement statement = client.prepare("insert")) {
            statement.setParameters(ids(1, 2, 3));

            assertThat(statement.executeUpdate()).isEqualTo(2);
        }

        assertThat(queries.executions).hasSize(1);
        assertThat(queries.last().request.parameterRows()).isEqualTo(List.of(List.of(1L), List.of(2L), List.of(3L)));
    }

    @Test
    void noRowsAreNoUpdate() {
        try (PreparedStatement statement = client.prepare("insert")) {
            statement.setParameters(ids());

            assertThat(statement.executeUpdate()).isZero();
        }

        assertThat(queries.executions).isEmpty();
    }

    @Test
    void anUpdateWithoutParametersRuns() {
        try (PreparedStatement statement = client.prepare("create")) {
            assertThat(statement.executeUpdate()).isZero();
        }

        assertThat(queries.last().request.parameterRows()).isEmpty();
    }

    @Test
    void theHandleIsAlsoATicket() throws Exception {
        ByteString handle = prepared("plain").getPreparedStatementHandle();
        Ticket ticket = new Ticket(command(handle));

        assertThat(FrontHarness.read(ann, ticket)).hasSize(2);
    }

    @Test
    void aClosedStatementIsGone() throws Exception {
        ByteString handle = prepared("plain").getPreparedStatementHandle();
        close(handle);
        close(handle);

        assertStatus(() -> info(handle), FlightStatusCode.NOT_FOUND, "closed");
    }

    @Test
    void anUnusedStatementExpires() throws Exception {
        ByteString handle = prepared("plain").getPreparedStatementHandle();
        harness.clock.advance(Duration.ofMinutes(59));
        info(handle);
        harness.clock.advance(Duration.ofMinutes(59));
        info(handle);
        harness.clock.advance(Duration.ofMinutes(61));

        assertStatus(() -> info(handle), FlightStatusCode.NOT_FOUND, "expired");
    }

    @Test
    void aStatementOfAnotherUserIsNotFound() throws Exception {
        ByteString handle = prepared("plain").getPreparedStatementHandle();

        assertStatus(
                () -> harness.flightAs("bob").getInfo(FlightDescriptor.command(command(handle))),
                FlightStatusCode.NOT_FOUND,
                "no such prepared statement");
    }

    @Test
    void everyUseIsAuthorisedAnew() throws Exception {
        ByteString handle = prepared("plain").getPreparedStatementHandle();
        queries.scripts.remove("plain");

        assertStatus(() -> info(handle), FlightStatusCode.INVALID_ARGUMENT, "Unknown table");
    }

    @Test
    void aUserHasSoManyStatementsAndNoMore() throws Exception {
        List<ByteString> handles = new ArrayList<>();
        for (int i = 0; i < FrontHarness.MAX_PREPARED; i++) {
            handles.add(prepared("plain").getPreparedStatementHandle());
        }

        assertStatus(() -> client.prepare("plain"), FlightStatusCode.RESOURCE_EXHAUSTED, "max-prepared-statements");
        assertThat(harness.as("bob").prepare("plain").getResultSetSchema()).isNotNull();
        close(handles.get(0));
        handles.add(prepared("plain").getPreparedStatementHandle());
        assertThatThrownBy(() -> client.prepare("plain"))
                .hasMessageContaining(Integer.toString(FrontHarness.MAX_PREPARED));
        harness.clock.advance(Duration.ofHours(2));
        assertThat(client.prepare("plain").getResultSetSchema()).isNotNull();
    }

    /** A client that prepares without end is refused, holds no more than allowed, and harms nobody. */
    @Test
    void tenThousandStatementsAreRefusedBeyondTheLimit() throws Exception {
        int refused = 0;
        for (int i = 0; i < 10_000; i++) {
            try {
                prepared("plain");
            } catch (FlightRuntimeException e) {
                assertThat(e.status().code()).isEqualTo(FlightStatusCode.RESOURCE_EXHAUSTED);
                refused++;
            }
        }
        assertThat(refused).isEqualTo(10_000 - FrontHarness.MAX_PREPARED);
        assertThat(harness.as("bob").prepare("plain").getResultSetSchema()).isNotNull();
    }

    @Test
    void theTextOfAUsersStatementsIsBounded() throws Exception {
        String sql = "plain" + " ".repeat(1 << 20);
        queries.scripts.put(sql, Script.numbers(1, 2));
        List<ByteString> handles = new ArrayList<>();
        for (int i = 0; i < 15; i++) {
            handles.add(prepared(sql).getPreparedStatementHandle());
        }

        assertStatus(() -> client.prepare(sql), FlightStatusCode.RESOURCE_EXHAUSTED, "characters of text");
        prepared("plain");
        assertThat(harness.as("bob").prepare(sql).getResultSetSchema()).isNotNull();
        close(handles.get(0));
        prepared(sql);
    }

    @Test
    void parametersForAClosedHandleAreReadAndRefused() throws Exception {
        ByteString handle = prepared("select").getPreparedStatementHandle();
        close(handle);
        SyncPutListener results = new SyncPutListener();
        try (VectorSchemaRoot root = ids(1, 2, 3)) {
            var put = ann.startPut(FlightDescriptor.command(command(handle)), root, results);
            for (int i = 0; i < 50; i++) {
                put.putNext();
            }
            put.completed();

            assertStatus(put::getResult, FlightStatusCode.NOT_FOUND, "no such prepared statement");
        }
    }

    private FlightSql.ActionCreatePreparedStatementResult prepared(String sql) throws Exception {
        var results = ann.doAction(new Action(
                FlightSqlUtils.FLIGHT_SQL_CREATE_PREPARED_STATEMENT.getType(),
                Any.pack(FlightSql.ActionCreatePreparedStatementRequest.newBuilder()
                                .setQuery(sql)
                                .build())
                        .toByteArray()));
        return Any.parseFrom(results.next().getBody()).unpack(FlightSql.ActionCreatePreparedStatementResult.class);
    }

    private void close(ByteString handle) {
        ann.doAction(new Action(
                        FlightSqlUtils.FLIGHT_SQL_CLOSE_PREPARED_STATEMENT.getType(),
                        Any.pack(FlightSql.ActionClosePreparedStatementRequest.newBuilder()
                                        .setPreparedStatementHandle(handle)
                                        .build())
                                .toByteArray()))
                .forEachRemaining(result -> {});
    }

    private FlightInfo info(ByteString handle) {
        return ann.getInfo(FlightDescriptor.command(command(handle)));
    }

    static byte[] command(ByteString handle) {
        return Any.pack(FlightSql.CommandPreparedStatementQuery.newBuilder()
                        .setPreparedStatementHandle(handle)
                        .build())
                .toByteArray();
    }

    private VectorSchemaRoot ids(long... ids) {
        BigIntVector vector = new BigIntVector("1", harness.allocator);
        vector.allocateNew(Math.max(1, ids.length));
        for (int row = 0; row < ids.length; row++) {
            vector.set(row, ids[row]);
        }
        vector.setValueCount(ids.length);
        return new VectorSchemaRoot(Arrays.asList(vector.getField()), Arrays.asList(vector), ids.length);
    }
}
