package dev.weir.gateway.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.admission.AdmissionController;
import dev.weir.engine.EngineStats;
import dev.weir.engine.QueryEngine;
import dev.weir.gateway.query.DefaultQueryService;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.flight.CancelFlightInfoRequest;
import org.apache.arrow.flight.CloseSessionRequest;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.GetSessionOptionsRequest;
import org.apache.arrow.flight.grpc.CredentialCallOption;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.apache.arrow.flight.sql.FlightSqlClient.Transaction;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Sessions and transactions through the whole gateway, with the Flight SQL client. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TransactionsTest {

    private static final String BIG = "select i, repeat('x', 1000) as s from range(40000000) t(i)";

    private final BufferAllocator allocator = new RootAllocator();
    private TestGateway gateway;
    private Client one;
    private Client two;

    /** One connection of a user. */
    private final class Client implements AutoCloseable {
        final FlightSqlClient sql;
        final CredentialCallOption token;

        Client(String user) throws Exception {
            FlightClient client = gateway.flight(allocator);
            token = client.authenticateBasicToken(user, TestGateway.PASSWORD).orElseThrow();
            sql = new FlightSqlClient(client);
        }

        long change(String text) {
            return sql.executeUpdate(text, token);
        }

        long change(String text, Transaction transaction) {
            return sql.executeUpdate(text, transaction, token);
        }

        Object value(String text, Transaction transaction) throws Exception {
            return first(transaction == null ? sql.execute(text, token) : sql.execute(text, transaction, token));
        }

        Object value(String text) throws Exception {
            return value(text, null);
        }

        private Object first(FlightInfo info) throws Exception {
            try (FlightStream stream = sql.getStream(info.getEndpoints().get(0).getTicket(), token)) {
                List<Object> values = new ArrayList<>();
                while (stream.next()) {
                    for (int row = 0; row < stream.getRoot().getRowCount(); row++) {
                        Object value = stream.getRoot().getVector(0).getObject(row);
                        values.add(value instanceof Number || value == null ? value : value.toString());
                    }
                }
                assertThat(values).hasSize(1);
                return values.get(0);
            }
        }

        @Override
        public void close() throws Exception {
            sql.closeSession(new CloseSessionRequest(), token);
            sql.close();
        }
    }

    @BeforeAll
    void start(@TempDir Path directory) throws Exception {
        gateway = TestGateway.start(directory);
    }

    @AfterAll
    void stop() {
        gateway.close();
        allocator.close();
    }

    @BeforeEach
    void connect() throws Exception {
        one = new Client(TestGateway.WRITER);
        two = new Client(TestGateway.WRITER);
        one.change("create or replace table t (n int)");
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        one.close();
        two.close();
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            assertThat(gateway.bean(AdmissionController.class).snapshot().running())
                    .isZero();
            assertThat(gateway.bean(QueryEngine.class).stats()).isEqualTo(new EngineStats(0, 0, 0, 0));
            assertThat(gateway.bean(DefaultQueryService.class).openSessions()).isZero();
        });
    }

    private static void fails(
            org.assertj.core.api.ThrowableAssert.ThrowingCallable call, FlightStatusCode code, String words) {
        assertThatThrownBy(call).isInstanceOfSatisfying(FlightRuntimeException.class, e -> {
            assertThat(e.status().code()).as(e.getMessage()).isEqualTo(code);
            assertThat(e.getMessage()).contains(words);
        });
    }

    @Test
    void othersSeeATransactionOnceItIsCommitted() throws Exception {
        Transaction transaction = one.sql.beginTransaction(one.token);
        assertThat(one.change("insert into t values (1), (2)", transaction)).isEqualTo(2);
        assertThat(one.value("select count(*) from t", transaction)).isEqualTo(2L);
        assertThat(two.value("select count(*) from t")).isEqualTo(0L);
        one.sql.commit(transaction, one.token);
        assertThat(two.value("select count(*) from t")).isEqualTo(2L);
    }

    @Test
    void aRollbackUndoes() throws Exception {
        Transaction transaction = one.sql.beginTransaction(one.token);
        one.change("insert into t values (1)", transaction);
        one.sql.rollback(transaction, one.token);
        assertThat(one.value("select count(*) from t")).isEqualTo(0L);
    }

    @Test
    void aTransactionIsASnapshot() throws Exception {
        Transaction transaction = one.sql.beginTransaction(one.token);
        two.change("insert into t values (1)");
        assertThat(one.value("select count(*) from t", transaction)).isEqualTo(1L);
        two.change("insert into t values (2)");
        assertThat(one.value("select count(*) from t", transaction)).isEqualTo(1L);
        one.sql.commit(transaction, one.token);
        assertThat(one.value("select count(*) from t")).isEqualTo(2L);
    }

    @Test
    void preparedStatementsRunInTheirTransaction() throws Exception {
        Transaction transaction = one.sql.beginTransaction(one.token);
        one.change("create table made (n int)", transaction);
        FlightSqlClient.PreparedStatement insert =
                one.sql.prepare("insert into made values (7)", transaction, one.token);
        assertThat(insert.executeUpdate(one.token)).isEqualTo(1);
        assertThat(one.value("select n from made", transaction)).isEqualTo(7);
        one.sql.rollback(transaction, one.token);
        insert.close(one.token);
        fails(() -> one.value("select n from made"), FlightStatusCode.INVALID_ARGUMENT, "made");
    }

    @Test
    void aFailedTransactionTakesOnlyItsRollback() throws Exception {
        Transaction transaction = one.sql.beginTransaction(one.token);
        one.change("insert into t values (1)", transaction);
        fails(
                () -> one.change("insert into t select 'x'::int from range(1)", transaction),
                FlightStatusCode.INVALID_ARGUMENT,
                "x");
        fails(() -> one.value("select 1", transaction), FlightStatusCode.INTERNAL, "roll");
        one.sql.rollback(transaction, one.token);
        assertThat(one.value("select count(*) from t")).isEqualTo(0L);
    }

    @Test
    void anOpenResultIsAConflictAndItsCloseEndsIt() throws Exception {
        Transaction transaction = one.sql.beginTransaction(one.token);
        one.change("insert into t values (1)", transaction);
        FlightInfo info = one.sql.execute(BIG, transaction, one.token);
        try (FlightStream stream = one.sql.getStream(info.getEndpoints().get(0).getTicket(), one.token)) {
            assertThat(stream.next()).isTrue();
            fails(() -> one.value("select 1", transaction), FlightStatusCode.INTERNAL, "open result");
            fails(() -> one.sql.commit(transaction, one.token), FlightStatusCode.INTERNAL, "open result");
            stream.cancel("enough", null);
        }
        assertThat(one.value("select count(*) from t", transaction)).isEqualTo(1L);
        one.sql.commit(transaction, one.token);
        assertThat(one.value("select count(*) from t")).isEqualTo(1L);
    }

    @Test
    void aCancelledResultCanBeFollowed() throws Exception {
        Transaction transaction = one.sql.beginTransaction(one.token);
        FlightInfo info = one.sql.execute(BIG, transaction, one.token);
        try (FlightStream stream = one.sql.getStream(info.getEndpoints().get(0).getTicket(), one.token)) {
            assertThat(stream.next()).isTrue();
            one.sql.cancelFlightInfo(new CancelFlightInfoRequest(info), one.token);
            assertThatThrownBy(() -> {
                        while (stream.next()) {
                            assertThat(stream.getRoot().getRowCount()).isPositive();
                        }
                    })
                    .isInstanceOf(FlightRuntimeException.class);
        }
        one.sql.rollback(transaction, one.token);
        assertThat(one.value("select 1")).isEqualTo(1);
    }

    @Test
    void statementsBeginAndEndTransactionsToo() throws Exception {
        one.change("begin");
        one.change("insert into t values (1)");
        assertThat(one.value("select count(*) from t")).isEqualTo(1L);
        assertThat(two.value("select count(*) from t")).isEqualTo(0L);
        one.change("commit");
        assertThat(two.value("select count(*) from t")).isEqualTo(1L);
    }

    @Test
    void temporaryTablesAreTheirSessions() throws Exception {
        one.change("create temp table mine as select 42 as n");
        assertThat(one.value("select n from mine")).isEqualTo(42);
        fails(() -> two.value("select n from mine"), FlightStatusCode.INVALID_ARGUMENT, "mine");
        Transaction transaction = one.sql.beginTransaction(one.token);
        assertThat(one.value("select n from mine", transaction)).isEqualTo(42);
        one.sql.commit(transaction, one.token);
        assertThat(one.value("select n from mine")).isEqualTo(42);
        one.sql.closeSession(new CloseSessionRequest(), one.token);
        fails(() -> one.value("select n from mine"), FlightStatusCode.INVALID_ARGUMENT, "mine");
    }

    @Test
    void aReaderHasTemporaryTablesAndNoOthers() throws Exception {
        try (Client reader = new Client(TestGateway.READER)) {
            reader.change("create temp table mine (n int)");
            assertThat(reader.change("insert into temp.mine values (1), (2)")).isEqualTo(2);
            assertThat(reader.value("select sum(n) from mine").toString()).isEqualTo("3");
            fails(() -> reader.change("insert into t values (1)"), FlightStatusCode.UNAUTHORIZED, "writer");
            Transaction transaction = reader.sql.beginTransaction(reader.token);
            fails(
                    () -> reader.change("insert into t values (1)", transaction),
                    FlightStatusCode.UNAUTHORIZED,
                    "writer");
            assertThat(reader.value("select count(*) from t", transaction)).isEqualTo(0L);
            reader.sql.commit(transaction, reader.token);
        }
    }

    @Test
    void settingsByStatementAreTheSessions() throws Exception {
        one.change("create schema if not exists s");
        one.change("create or replace table s.inside as select 5 as n");
        one.change("use s");
        assertThat(one.value("select n from inside")).isEqualTo(5);
        fails(() -> two.value("select n from inside"), FlightStatusCode.INVALID_ARGUMENT, "inside");
        assertThat(one.sql
                        .getSessionOptions(new GetSessionOptionsRequest(), one.token)
                        .getSessionOptions())
                .containsKey("schema");
        one.change("set variable x = 9");
        assertThat(one.value("select getvariable('x')")).isEqualTo(9);
        assertThat(two.value("select getvariable('x')")).isNull();
        fails(() -> one.change("set threads = 1"), FlightStatusCode.UNAUTHORIZED, "locked");
    }

    @Test
    void withoutASessionTheyAreRefused() throws Exception {
        String answer =
                gateway.sql(TestGateway.WRITER, "application/json", "begin").body();
        assertThat(answer).contains("need a session").contains("BeginTransaction");
    }

    @Test
    void aClientThatLeavesIsRolledBack() throws Exception {
        Transaction transaction = one.sql.beginTransaction(one.token);
        one.change("insert into t values (1)", transaction);
        one.sql.closeSession(new CloseSessionRequest(), one.token);
        fails(() -> one.sql.commit(transaction, one.token), FlightStatusCode.NOT_FOUND, "no such transaction");
        assertThat(two.value("select count(*) from t")).isEqualTo(0L);
    }

    private static List<String> tablesOf(Client client) throws Exception {
        FlightInfo info = client.sql.getTables(null, null, "mine%", null, false, client.token);
        List<String> names = new ArrayList<>();
        try (FlightStream stream =
                client.sql.getStream(info.getEndpoints().get(0).getTicket(), client.token)) {
            while (stream.next()) {
                for (int row = 0; row < stream.getRoot().getRowCount(); row++) {
                    names.add(stream.getRoot()
                            .getVector("table_name")
                            .getObject(row)
                            .toString());
                }
            }
        }
        return names;
    }

    @Test
    void getTablesShowsWhatTheSessionAloneHas() throws Exception {
        one.change("create temp table mine_temp (i int)");
        Transaction transaction = one.sql.beginTransaction(one.token);
        one.change("create table mine_new (i int)", transaction);
        assertThat(tablesOf(one)).containsExactly("mine_new", "mine_temp");
        assertThat(tablesOf(two)).isEmpty();
        FlightInfo big = one.sql.execute(BIG, transaction, one.token);
        try (FlightStream open = one.sql.getStream(big.getEndpoints().get(0).getTicket(), one.token)) {
            assertThat(open.next()).isTrue();
            assertThat(tablesOf(one)).as("as everybody sees it, and at once").isEmpty();
            open.cancel("enough", null);
        }
        one.sql.rollback(transaction, one.token);
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(tablesOf(one)).containsExactly("mine_temp"));
    }
}
