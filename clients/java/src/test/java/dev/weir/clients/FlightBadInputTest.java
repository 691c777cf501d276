package dev.weir.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.apache.arrow.flight.Action;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.apache.arrow.flight.sql.FlightSqlClient.PreparedStatement;
import org.apache.arrow.flight.sql.impl.FlightSql;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementIngest.TableDefinitionOptions;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementIngest.TableDefinitionOptions.TableExistsOption;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementIngest.TableDefinitionOptions.TableNotExistOption;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests that no correct client sends: each has its own clear answer, and the connection goes on. */
@Timeout(60)
class FlightBadInputTest {

    private Flight flight;

    @BeforeEach
    void connect() throws Exception {
        flight = new Flight(Gateway.shared(), Gateway.WRITER);
    }

    @AfterEach
    void theConnectionGoesOn() throws Exception {
        assertThat(flight.rows(flight.sql().execute("select 1", flight.bearer())))
                .containsExactly(List.of("1"));
        flight.close();
    }

    private static void refused(ThrowingCallable call, FlightStatusCode code, String words) {
        assertThatThrownBy(call).isInstanceOfSatisfying(FlightRuntimeException.class, e -> {
            assertThat(e.status().code()).as(e.getMessage()).isEqualTo(code);
            assertThat(e.getMessage()).contains(words);
        });
    }

    private Ticket ticket(String sql) {
        return flight.sql().execute(sql, flight.bearer()).getEndpoints().get(0).getTicket();
    }

    @Test
    void everyChangedByteOfATicketIsNoticed() throws Exception {
        byte[] handle = Any.parseFrom(ticket("select 1").getBytes())
                .unpack(FlightSql.TicketStatementQuery.class)
                .getStatementHandle()
                .toByteArray();
        for (int at = 0; at < handle.length; at += 7) {
            byte[] changed = handle.clone();
            changed[at] ^= 1;
            Ticket ticket = new Ticket(Any.pack(FlightSql.TicketStatementQuery.newBuilder()
                            .setStatementHandle(ByteString.copyFrom(changed))
                            .build())
                    .toByteArray());
            refused(() -> flight.rows(ticket), FlightStatusCode.INVALID_ARGUMENT, "icket");
        }
    }

    @Test
    void aTicketIsItsUsers() throws Exception {
        Ticket ticket = ticket("select 1");
        try (Flight other = new Flight(Gateway.shared(), Gateway.READER)) {
            refused(() -> other.rows(ticket), FlightStatusCode.UNAUTHORIZED, "another user");
        }
        assertThat(flight.rows(ticket)).hasSize(1);
    }

    @Test
    void aWriteIsNotReplayed() throws Exception {
        Ticket ticket = ticket("insert into scratch values (7000, 'once') returning id");
        assertThat(flight.rows(ticket)).containsExactly(List.of("7000"));
        assertThatThrownBy(() -> flight.rows(ticket)).isInstanceOf(FlightRuntimeException.class);
        assertThat(flight.sql().executeUpdate("delete from scratch where id = 7000", flight.bearer()))
                .isEqualTo(1);
    }

    private ByteString prepare(String sql) throws Exception {
        var results = flight.client()
                .doAction(
                        new Action(
                                "CreatePreparedStatement",
                                Any.pack(FlightSql.ActionCreatePreparedStatementRequest.newBuilder()
                                                .setQuery(sql)
                                                .build())
                                        .toByteArray()),
                        flight.bearer());
        return Any.parseFrom(results.next().getBody())
                .unpack(FlightSql.ActionCreatePreparedStatementResult.class)
                .getPreparedStatementHandle();
    }

    private FlightInfo infoOf(ByteString handle) {
        return flight.client()
                .getInfo(
                        FlightDescriptor.command(Any.pack(FlightSql.CommandPreparedStatementQuery.newBuilder()
                                        .setPreparedStatementHandle(handle)
                                        .build())
                                .toByteArray()),
                        flight.bearer());
    }

    @Test
    void aHandleIsGoneAfterItsClose() throws Exception {
        ByteString handle = prepare("select 1");
        assertThat(flight.rows(infoOf(handle))).hasSize(1);
        flight.client()
                .doAction(
                        new Action(
                                "ClosePreparedStatement",
                                Any.pack(FlightSql.ActionClosePreparedStatementRequest.newBuilder()
                                                .setPreparedStatementHandle(handle)
                                                .build())
                                        .toByteArray()),
                        flight.bearer())
                .forEachRemaining(result -> {});
        refused(() -> infoOf(handle), FlightStatusCode.NOT_FOUND, "closed");
    }

    @Test
    void anUnknownTransactionCannotBeCommitted() {
        FlightSqlClient.Transaction unknown =
                new FlightSqlClient.Transaction("no-such-one".getBytes(StandardCharsets.UTF_8));
        refused(() -> flight.sql().commit(unknown, flight.bearer()), FlightStatusCode.NOT_FOUND, "ransaction");
        refused(() -> flight.sql().rollback(unknown, flight.bearer()), FlightStatusCode.NOT_FOUND, "ransaction");
        FlightSqlClient.Transaction ended = flight.sql().beginTransaction(flight.bearer());
        flight.sql().commit(ended, flight.bearer());
        refused(() -> flight.sql().commit(ended, flight.bearer()), FlightStatusCode.NOT_FOUND, "ransaction");
    }

    @Test
    void parametersThatAreMissingOrTooManyAreCounted() throws Exception {
        ByteString handle = prepare("select ?::integer, ?::varchar");
        refused(() -> flight.rows(infoOf(handle)), FlightStatusCode.INVALID_ARGUMENT, "arameter");
        PreparedStatement statement = flight.sql().prepare("select ?::bigint", flight.bearer());
        try (BigIntVector one = numbers("1", 1);
                BigIntVector two = numbers("2", 2)) {
            statement.setParameters(VectorSchemaRoot.of(one, two));
            refused(
                    () -> flight.rows(statement.execute(flight.bearer())),
                    FlightStatusCode.INVALID_ARGUMENT,
                    "arameter");
        } finally {
            statement.close(flight.bearer());
        }
        refused(
                () -> flight.rows(flight.sql().execute("select ?::integer", flight.bearer())),
                FlightStatusCode.INVALID_ARGUMENT,
                "arameter");
    }

    private BigIntVector numbers(String name, long... values) {
        BigIntVector vector = new BigIntVector(name, flight.allocator());
        vector.allocateNew(values.length);
        for (int row = 0; row < values.length; row++) {
            vector.set(row, values[row]);
        }
        vector.setValueCount(values.length);
        return vector;
    }

    private void append(VectorSchemaRoot root) {
        TableDefinitionOptions append = TableDefinitionOptions.newBuilder()
                .setIfNotExist(TableNotExistOption.TABLE_NOT_EXIST_OPTION_FAIL)
                .setIfExists(TableExistsOption.TABLE_EXISTS_OPTION_APPEND)
                .build();
        flight.sql()
                .executeIngest(
                        root,
                        new FlightSqlClient.ExecuteIngestOptions("scratch", append, false, null, null, Map.of()),
                        flight.bearer());
    }

    @Test
    void anUploadThatDoesNotFitNamesItsColumn() {
        try (BigIntVector ids = numbers("id", 1);
                BigIntVector surplus = numbers("surplus", 2)) {
            refused(() -> append(VectorSchemaRoot.of(ids, surplus)), FlightStatusCode.INVALID_ARGUMENT, "\"surplus\"");
        }
        try (BigIntVector ids = numbers("id", 3_000_000_000L)) {
            assertThatThrownBy(() -> append(VectorSchemaRoot.of(ids))).isInstanceOf(FlightRuntimeException.class);
        }
    }

    /** Offsets that point outside of the text. */
    @Test
    void aDamagedBodyNamesItsColumn() {
        try (VarCharVector notes = new VarCharVector("note", flight.allocator())) {
            notes.allocateNew();
            notes.setSafe(0, "text".getBytes(StandardCharsets.UTF_8));
            notes.setSafe(1, "more".getBytes(StandardCharsets.UTF_8));
            notes.setValueCount(2);
            notes.getOffsetBuffer().setInt(4, 1 << 20);
            refused(() -> append(VectorSchemaRoot.of(notes)), FlightStatusCode.INVALID_ARGUMENT, "note");
        }
    }
}
