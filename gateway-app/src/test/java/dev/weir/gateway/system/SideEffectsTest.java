package dev.weir.gateway.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.admission.AdmissionController;
import dev.weir.engine.EngineStats;
import dev.weir.engine.QueryEngine;
import dev.weir.gateway.query.DefaultQueryService;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.grpc.CredentialCallOption;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Flight SQL shows a statement to the gateway more than once; it runs once, in one slot, and only when it is asked to. */
class SideEffectsTest {

    private static final String BIG = "select i, repeat('x', 1000) as s from range(40000000) t(i)";

    @TempDir
    Path directory;

    private final BufferAllocator allocator = new RootAllocator();
    private TestGateway gateway;
    private FlightClient client;
    private FlightSqlClient sql;
    private CredentialCallOption token;

    @BeforeEach
    void start() throws Exception {
        gateway = TestGateway.start(directory, "--weir.admission.max-running=1", "--weir.admission.short-lane=0");
        client = gateway.flight(allocator);
        sql = new FlightSqlClient(client);
        token = client.authenticateBasicToken(TestGateway.WRITER, TestGateway.PASSWORD)
                .orElseThrow();
    }

    @AfterEach
    void close() throws Exception {
        sql.close();
        gateway.close();
        allocator.close();
    }

    @Test
    void everyKindOfCallWritesOnce() throws Exception {
        sql.executeUpdate("create table t (n int)", token);

        read(sql.execute("insert into t values (1)", token));
        assertThat(count()).as("info and stream").isEqualTo("1");
        read(sql.execute("insert into t values (2) returning n", token));
        assertThat(count()).as("with rows").isEqualTo("2");
        assertThat(sql.executeUpdate("insert into t values (3)", token)).isEqualTo(1);
        assertThat(count()).as("update").isEqualTo("3");
        FlightSqlClient.PreparedStatement prepared = sql.prepare("insert into t values (4)", token);
        assertThat(count()).as("prepared only").isEqualTo("3");
        assertThat(prepared.executeUpdate(token)).isEqualTo(1);
        assertThat(count()).as("prepared and run").isEqualTo("4");
        prepared.close(token);
        FlightInfo unread = sql.execute("insert into t values (5) returning n", token);
        assertThat(unread.getEndpoints()).hasSize(1);
        sql.getExecuteSchema("insert into t values (6)", token);
        assertThat(count()).as("described only").isEqualTo("4");
    }

    @Test
    void aStatementTakesOneSlot() throws Exception {
        FlightInfo info = sql.execute(BIG, token);
        try (FlightStream stream = sql.getStream(info.getEndpoints().get(0).getTicket(), token)) {
            assertThat(stream.next()).isTrue();
            assertThat(gateway.bean(AdmissionController.class).snapshot().running())
                    .isEqualTo(1);
            assertThat(gateway.bean(QueryEngine.class).stats().openResults()).isEqualTo(1);
            assertThat(gateway.bean(DefaultQueryService.class).liveQueries()).hasSize(1);
            stream.cancel("enough", null);
        }
        await().atMost(Duration.ofSeconds(20)).untilAsserted(this::assertNothingIsHeld);
    }

    @Test
    void infosThatNobodyRedeemsHoldNothing() throws Exception {
        for (int i = 0; i < 50; i++) {
            assertThat(sql.execute(BIG, token).getEndpoints()).hasSize(1);
        }

        await().atMost(Duration.ofSeconds(20)).untilAsserted(this::assertNothingIsHeld);
        assertThat(gateway.sql(TestGateway.READER, "text/csv", "select 42 as n").body())
                .isEqualTo("n\r\n42\r\n");
    }

    private void assertNothingIsHeld() {
        assertThat(gateway.bean(AdmissionController.class).snapshot().running()).isZero();
        assertThat(gateway.bean(AdmissionController.class).snapshot().reservedBytes())
                .isZero();
        assertThat(gateway.bean(DefaultQueryService.class).liveQueries()).isEmpty();
        assertThat(gateway.bean(QueryEngine.class).stats()).isEqualTo(new EngineStats(0, 0, 0, 0));
    }

    private void read(FlightInfo info) throws Exception {
        try (FlightStream stream = sql.getStream(info.getEndpoints().get(0).getTicket(), token)) {
            while (stream.next()) {}
        }
    }

    private String count() throws Exception {
        String body = gateway.sql(TestGateway.READER, "text/csv", "select count(*) as n from t")
                .body();
        return body.lines().skip(1).findFirst().orElse(body);
    }
}
