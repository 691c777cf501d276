package dev.weir.gateway.flightsql;

import static dev.weir.gateway.flightsql.StatementsTest.assertStatus;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import dev.weir.engine.EngineInfo;
import dev.weir.gateway.flightsql.FakeQueries.Script;
import dev.weir.gateway.query.BufferCompression;
import java.time.Duration;
import java.util.List;
import org.apache.arrow.flight.Action;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.SyncPutListener;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.apache.arrow.flight.sql.FlightSqlClient.PreparedStatement;
import org.apache.arrow.flight.sql.FlightSqlUtils;
import org.apache.arrow.flight.sql.impl.FlightSql;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LimitsTest {

    private static final Field DATA = Field.nullable("1", new ArrowType.Binary());

    private final FrontHarness harness = new FrontHarness(null, Duration.ofSeconds(2));
    private final FlightClient ann = harness.flightAs("ann");
    private final FlightSqlClient client = new FlightSqlClient(ann);

    @BeforeEach
    void scripts() {
        harness.queries.scripts.put("numbers", Script.numbers(1, 1));
        harness.queries.scripts.put("insert", Script.update(1).withParameters(DATA));
        harness.queries.scripts.put("select", Script.numbers(1, 1).withParameters(DATA));
    }

    @AfterEach
    void close() throws Exception {
        harness.close();
    }

    @Test
    void headersBeyondTheLimitAreRefusedWithItsName() {
        assertStatus(
                () -> harness.as("ann", "padding", "x".repeat(33 << 10)).execute("numbers"),
                FlightStatusCode.INVALID_ARGUMENT,
                "weir.flight.max-header-size");
        assertThat(harness.as("ann", "padding", "x".repeat(24 << 10)).execute("numbers"))
                .isNotNull();
    }

    @Test
    void aMessageBeyondTheLimitIsRefusedAndTheConnectionGoesOn() {
        String sql = "x".repeat(17 << 20);

        assertThatThrownBy(() -> client.execute(sql)).isInstanceOfSatisfying(FlightRuntimeException.class, e -> {
            assertThat(e.status().code()).isEqualTo(FlightStatusCode.RESOURCE_EXHAUSTED);
            assertThat(e.getMessage()).contains("16777216");
        });
        assertThat(client.execute("numbers")).isNotNull();
    }

    @Test
    void moreParameterBytesThanAMessageMayHaveAreRefused() throws Exception {
        var put = put(root(1 << 20), 20);

        assertStatus(put::getResult, FlightStatusCode.INVALID_ARGUMENT, "bytes of parameters");
        assertThat(harness.queries.executions).isEmpty();
    }

    @Test
    void moreParameterRowsThanAllowedAreRefused() {
        BigIntVector vector = new BigIntVector("1", harness.allocator);
        int rows = FlightSqlSettings.MAX_PARAMETER_ROWS + 1;
        vector.allocateNew(rows);
        vector.setValueCount(rows);
        try (PreparedStatement statement = client.prepare("insert")) {
            statement.setParameters(new VectorSchemaRoot(List.of(vector.getField()), List.of(vector), rows));

            assertStatus(statement::executeUpdate, FlightStatusCode.INVALID_ARGUMENT, "rows of parameters");
        }
    }

    @Test
    void parametersOfAQueryMustFitItsTicket() {
        try (PreparedStatement statement = client.prepare("select")) {
            statement.setParameters(root(5 << 20));

            assertStatus(statement::execute, FlightStatusCode.INVALID_ARGUMENT, "bytes of parameters");
        }
    }

    @Test
    void allUsersTogetherHoldABoundedAmountOfParameters() throws Exception {
        int each = 15 << 20;
        ByteString[] handles = new ByteString[5];
        for (int i = 0; i < 4; i++) {
            handles[i] = prepare();
            bind(handles[i], each);
        }
        handles[4] = prepare();

        assertStatus(() -> bind(handles[4], each), FlightStatusCode.RESOURCE_EXHAUSTED, "bytes of parameters");
        closeStatement(handles[0]);
        closeStatement(handles[1]);
        bind(handles[4], each);
    }

    @Test
    void anUploadThatGoesQuietIsEnded() throws Exception {
        SyncPutListener results = new SyncPutListener();
        try (VectorSchemaRoot root = root(10)) {
            var put = ann.startPut(FlightDescriptor.command(updateCommand(prepare())), root, results);
            put.putNext();

            assertStatus(put::getResult, FlightStatusCode.TIMED_OUT, "client-stall-timeout");
        }
        assertThat(harness.queries.executions).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"BeginSavepoint", "CreatePreparedSubstraitPlan", "RenewFlightEndpoint", "no-such-action"})
    void whatIsNotSupportedIsUnimplemented(String action) {
        assertStatus(
                () -> ann.doAction(new Action(action)).forEachRemaining(result -> {}),
                FlightStatusCode.UNIMPLEMENTED,
                action);
    }

    @Test
    void bulkIngestionIsUnimplemented() {
        byte[] command = Any.pack(FlightSql.CommandStatementIngest.newBuilder()
                        .setTable("t")
                        .build())
                .toByteArray();
        try (VectorSchemaRoot root = root(1_000)) {
            var put = ann.startPut(FlightDescriptor.command(command), root, new SyncPutListener());
            for (int i = 0; i < 100; i++) {
                put.putNext();
            }
            put.completed();

            assertStatus(put::getResult, FlightStatusCode.UNIMPLEMENTED, "Bulk ingestion");
        }
    }

    @Test
    void theListOfActionsIsWhatWorks() {
        assertThat(ann.listActions())
                .extracting(org.apache.arrow.flight.ActionType::getType)
                .containsExactlyInAnyOrder(
                        "CreatePreparedStatement",
                        "ClosePreparedStatement",
                        "CancelQuery",
                        "CancelFlightInfo",
                        "BeginTransaction",
                        "EndTransaction",
                        "SetSessionOptions",
                        "GetSessionOptions",
                        "CloseSession");
    }

    @Test
    void aTakenPortNamesItsProperty() {
        FlightSqlSettings settings = new FlightSqlSettings(
                "127.0.0.1",
                harness.front.port(),
                null,
                1 << 20,
                8 << 10,
                Duration.ofMinutes(1),
                Duration.ofMinutes(1),
                Duration.ofMinutes(1),
                1,
                Duration.ofMinutes(1),
                Duration.ofMinutes(1),
                1,
                32,
                BufferCompression.NONE,
                Duration.ofMinutes(1));
        try (FlightSqlFront second = new FlightSqlFront(
                settings,
                new FlightSqlBackend(
                        harness.queries,
                        harness.authenticator,
                        new FakeSigner(harness.clock),
                        new EngineInfo("duckdb", "v1.0", false),
                        true,
                        ""),
                harness.allocator,
                harness.clock)) {
            assertThatThrownBy(second::start)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("weir.flight.port " + harness.front.port());
        }
    }

    private FlightClient.ClientStreamListener put(VectorSchemaRoot root, int batches) throws Exception {
        try (root) {
            var put = ann.startPut(FlightDescriptor.command(updateCommand(prepare())), root, new SyncPutListener());
            for (int i = 0; i < batches; i++) {
                put.putNext();
            }
            put.completed();
            return put;
        }
    }

    private void bind(ByteString handle, int bytes) {
        try (VectorSchemaRoot root = root(bytes);
                SyncPutListener results = new SyncPutListener()) {
            var put = ann.startPut(FlightDescriptor.command(PreparedStatementsTest.command(handle)), root, results);
            put.putNext();
            put.completed();
            put.getResult();
        }
    }

    private ByteString prepare() throws Exception {
        var results = ann.doAction(new Action(
                FlightSqlUtils.FLIGHT_SQL_CREATE_PREPARED_STATEMENT.getType(),
                Any.pack(FlightSql.ActionCreatePreparedStatementRequest.newBuilder()
                                .setQuery("insert")
                                .build())
                        .toByteArray()));
        return Any.parseFrom(results.next().getBody())
                .unpack(FlightSql.ActionCreatePreparedStatementResult.class)
                .getPreparedStatementHandle();
    }

    private void closeStatement(ByteString handle) {
        ann.doAction(new Action(
                        FlightSqlUtils.FLIGHT_SQL_CLOSE_PREPARED_STATEMENT.getType(),
                        Any.pack(FlightSql.ActionClosePreparedStatementRequest.newBuilder()
                                        .setPreparedStatementHandle(handle)
                                        .build())
                                .toByteArray()))
                .forEachRemaining(result -> {});
    }

    private static byte[] updateCommand(ByteString handle) {
        return Any.pack(FlightSql.CommandPreparedStatementUpdate.newBuilder()
                        .setPreparedStatementHandle(handle)
                        .build())
                .toByteArray();
    }

    private VectorSchemaRoot root(int bytes) {
        VarBinaryVector vector = new VarBinaryVector("1", harness.allocator);
        vector.allocateNew(bytes, 1);
        vector.set(0, new byte[bytes]);
        vector.setValueCount(1);
        return new VectorSchemaRoot(List.of(vector.getField()), List.of(vector), 1);
    }
}
