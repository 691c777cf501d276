package dev.weir.gateway.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.weir.gateway.query.DefaultQueryService;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.arrow.flight.CallOption;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.grpc.CredentialCallOption;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementIngest.TableDefinitionOptions;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementIngest.TableDefinitionOptions.TableExistsOption;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementIngest.TableDefinitionOptions.TableNotExistOption;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Bulk ingest over Flight SQL, with the client of the Java library. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(120)
class IngestTest {

    private static final String ARROW = "application/vnd.apache.arrow.stream";
    private static final String MANY =
            "select i, 'row ' || i as s, (i % 3)::varchar::enum('0', '1', '2') as e" + " from range(200000) r(i)";

    private static final TableDefinitionOptions CREATE =
            mode(TableNotExistOption.TABLE_NOT_EXIST_OPTION_CREATE, TableExistsOption.TABLE_EXISTS_OPTION_FAIL);
    private static final TableDefinitionOptions APPEND =
            mode(TableNotExistOption.TABLE_NOT_EXIST_OPTION_FAIL, TableExistsOption.TABLE_EXISTS_OPTION_APPEND);
    private static final TableDefinitionOptions REPLACE =
            mode(TableNotExistOption.TABLE_NOT_EXIST_OPTION_CREATE, TableExistsOption.TABLE_EXISTS_OPTION_REPLACE);
    private static final TableDefinitionOptions CREATE_APPEND =
            mode(TableNotExistOption.TABLE_NOT_EXIST_OPTION_CREATE, TableExistsOption.TABLE_EXISTS_OPTION_APPEND);

    private final BufferAllocator allocator = new RootAllocator();
    private TestGateway gateway;
    private FlightClient client;
    private FlightSqlClient sql;
    private CredentialCallOption writer;

    private static TableDefinitionOptions mode(TableNotExistOption absent, TableExistsOption present) {
        return TableDefinitionOptions.newBuilder()
                .setIfNotExist(absent)
                .setIfExists(present)
                .build();
    }

    @BeforeAll
    void start(@TempDir Path directory) throws Exception {
        gateway = TestGateway.start(
                directory,
                "--weir.admission.client-stall-timeout=3s",
                // The stop must not wait so long, although a call had a message beyond the limit.
                "--weir.shutdown.grace=10m",
                "--weir.admission.max-running=2",
                "--weir.admission.user.max-running=2",
                "--weir.admission.short-lane=0",
                "--weir.admission.max-paused=0");
        client = gateway.flight(allocator);
        sql = new FlightSqlClient(client);
        writer = token(TestGateway.WRITER);
    }

    private CredentialCallOption token(String user) {
        return client.authenticateBasicToken(user, TestGateway.PASSWORD).orElseThrow();
    }

    @AfterAll
    @Timeout(120)
    void stop() throws Exception {
        sql.close();
        gateway.close();
        allocator.close();
    }

    @AfterEach
    void nothingIsHeld() throws Exception {
        DefaultQueryService queries = gateway.bean(DefaultQueryService.class);
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            assertThat(queries.liveQueries()).isEmpty();
            assertThat(queries.uploadBytes()).isZero();
        });
        run("drop table if exists t");
    }

    private String run(String text) throws Exception {
        return gateway.sql(TestGateway.WRITER, "text/csv", text).body();
    }

    private byte[] stream(String text) throws Exception {
        try (InputStream body = gateway.stream(TestGateway.WRITER, ARROW, text).body()) {
            return body.readAllBytes();
        }
    }

    private static FlightSqlClient.ExecuteIngestOptions options(
            TableDefinitionOptions mode, Map<String, String> options) {
        return new FlightSqlClient.ExecuteIngestOptions("t", mode, false, null, null, options);
    }

    private long load(byte[] stream, TableDefinitionOptions mode, CallOption as) throws Exception {
        return load(stream, options(mode, Map.of()), as);
    }

    private long load(byte[] stream, FlightSqlClient.ExecuteIngestOptions options, CallOption as) throws Exception {
        try (ArrowStreamReader reader = new ArrowStreamReader(new ByteArrayInputStream(stream), allocator)) {
            return sql.executeIngest(reader, options, as);
        }
    }

    private FlightRuntimeException refused(byte[] stream, TableDefinitionOptions mode, CallOption as) {
        FlightRuntimeException failure =
                catchThrowableOfType(FlightRuntimeException.class, () -> load(stream, mode, as));
        assertThat(failure).isNotNull();
        return failure;
    }

    @Test
    void everyModeDoesWhatItSays() throws Exception {
        byte[] one = stream("select 1 as i");
        assertThat(refused(one, APPEND, writer).status().code()).isEqualTo(FlightStatusCode.INVALID_ARGUMENT);
        assertThat(load(one, CREATE, writer)).isEqualTo(1);
        assertThat(refused(one, CREATE, writer).status().code()).isEqualTo(FlightStatusCode.INVALID_ARGUMENT);
        assertThat(load(one, APPEND, writer)).isEqualTo(1);
        assertThat(load(one, CREATE_APPEND, writer)).isEqualTo(1);
        assertThat(run("select count(*) as n from t")).isEqualTo("n\r\n3\r\n");
        assertThat(load(one, REPLACE, writer)).isEqualTo(1);
        assertThat(run("select count(*) as n from t")).isEqualTo("n\r\n1\r\n");
    }

    @Test
    void manyRowsArriveCellByCell() throws Exception {
        assertThat(load(stream(MANY), CREATE, writer)).isEqualTo(200_000);
        assertThat(run("select count(*) as n from ((" + MANY.replace("::enum('0', '1', '2')", "")
                        + ") except all (select i, s, e::varchar from t))"))
                .isEqualTo("n\r\n0\r\n");
        assertThat(gateway.get(TestGateway.WRITER, "/v1/queries").body())
                .contains("\"kind\":\"INGEST\"")
                .contains("\"rows\":200000");
    }

    @Test
    void aReaderMayNot() throws Exception {
        assertThat(refused(stream(MANY), CREATE, token(TestGateway.READER))
                        .status()
                        .code())
                .isEqualTo(FlightStatusCode.UNAUTHORIZED);
    }

    @Test
    void whatTheTableLacksIsNamed() throws Exception {
        run("create table t (i bigint)");
        FlightRuntimeException failure = refused(stream(MANY), APPEND, writer);
        assertThat(failure.status().code()).isEqualTo(FlightStatusCode.INVALID_ARGUMENT);
        assertThat(failure).hasMessageContaining("\"s\"");
        assertThat(run("select count(*) as n from t")).isEqualTo("n\r\n0\r\n");
    }

    /** An upload that stays open: descriptor and first batch were sent. */
    private FlightClient.ClientStreamListener open(FlightClient by, ArrowStreamReader reader) throws Exception {
        var command = org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementIngest.newBuilder()
                .setTable("t")
                .setTableDefinitionOptions(CREATE)
                .build();
        reader.loadNextBatch();
        FlightClient.ClientStreamListener listener = by.startPut(
                org.apache.arrow.flight.FlightDescriptor.command(
                        com.google.protobuf.Any.pack(command).toByteArray()),
                reader.getVectorSchemaRoot(),
                reader,
                new org.apache.arrow.flight.SyncPutListener(),
                writer);
        listener.putNext();
        return listener;
    }

    private String awaitIngest() {
        return await().atMost(Duration.ofSeconds(30))
                .until(
                        () -> gateway.bean(DefaultQueryService.class).liveQueries().stream()
                                .filter(query -> query.rows() > 0)
                                .map(query -> query.id())
                                .findFirst()
                                .orElse(""),
                        id -> !id.isEmpty());
    }

    @Test
    void aCancelLeavesNoRow() throws Exception {
        try (ArrowStreamReader reader = new ArrowStreamReader(new ByteArrayInputStream(stream(MANY)), allocator)) {
            FlightClient.ClientStreamListener upload = open(client, reader);
            String id = awaitIngest();
            gateway.client()
                    .send(
                            gateway.request(TestGateway.WRITER, "/v1/queries/" + id)
                                    .DELETE()
                                    .build(),
                            java.net.http.HttpResponse.BodyHandlers.ofString());
            FlightRuntimeException failure = catchThrowableOfType(FlightRuntimeException.class, upload::getResult);
            assertThat(failure.status().code()).isEqualTo(FlightStatusCode.CANCELLED);
        }
        assertThat(run("from t")).contains("INVALID_SQL");
    }

    @Test
    void aClientThatDiesLeavesNoRow() throws Exception {
        byte[] many = stream(MANY);
        FlightClient dying = gateway.flight(allocator);
        try (ArrowStreamReader reader = new ArrowStreamReader(new ByteArrayInputStream(many), allocator)) {
            open(dying, reader);
            awaitIngest();
        } finally {
            dying.close();
        }
        nothingIsHeld();
        assertThat(run("from t")).contains("INVALID_SQL");
    }

    @Test
    void aClientThatStopsSendingIsToldSo() throws Exception {
        try (ArrowStreamReader reader = new ArrowStreamReader(new ByteArrayInputStream(stream(MANY)), allocator)) {
            FlightClient.ClientStreamListener upload = open(client, reader);
            FlightRuntimeException failure = catchThrowableOfType(FlightRuntimeException.class, upload::getResult);
            assertThat(failure.status().code()).isEqualTo(FlightStatusCode.TIMED_OUT);
            assertThat(failure).hasMessageContaining("client-stall-timeout");
        }
        assertThat(run("from t")).contains("INVALID_SQL");
    }

    private CompletableFuture<Long> part(byte[] stream, int parts, int part) {
        Map<String, String> options = Map.of(
                "weir.ingest.id", "load-1",
                "weir.ingest.parts", Integer.toString(parts),
                "weir.ingest.part", Integer.toString(part));
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return load(stream, options(CREATE, options), writer);
                    } catch (Exception e) {
                        throw e instanceof RuntimeException failure ? failure : new IllegalStateException(e);
                    }
                },
                TestGateway::onThread);
    }

    @Test
    void partsAreCommittedAsOne() throws Exception {
        List<byte[]> streams = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            streams.add(stream("select " + i + " as p, r.i from range(" + (i + 1) * 50_000 + ") r(i)"));
        }
        List<CompletableFuture<Long>> counts = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            counts.add(part(streams.get(i), 4, i));
        }
        for (int i = 0; i < 4; i++) {
            assertThat(counts.get(i).get()).isEqualTo((i + 1) * 50_000L);
        }
        assertThat(run("select p, count(*) as n from t group by all order by all"))
                .isEqualTo("p,n\r\n0,50000\r\n1,100000\r\n2,150000\r\n3,200000\r\n");
    }

    @Test
    void aPartThatDoesNotComeEndsAll() throws Exception {
        CompletableFuture<Long> first = part(stream("select 1 as i"), 2, 0);
        ExecutionException failure = catchThrowableOfType(ExecutionException.class, first::get);
        assertThat(failure).hasMessageContaining("Part 1 did not come");
        assertThat(run("from t")).contains("INVALID_SQL");
    }

    @Test
    void partsOfDifferentSchemasAreRefused() throws Exception {
        byte[] number = stream("select 1 as i");
        byte[] text = stream("select 'x' as i");
        CompletableFuture<Long> first = part(number, 2, 0);
        CompletableFuture<Long> second = part(text, 2, 1);
        ExecutionException failure = catchThrowableOfType(ExecutionException.class, () -> {
            first.get();
            second.get();
        });
        assertThat(failure).hasMessageContaining("same schema");
        assertThat(run("from t")).contains("INVALID_SQL");
    }

    @Test
    void rowsAreCommittedWithTheClientsTransaction() throws Exception {
        byte[] many = stream(MANY);
        for (boolean commit : new boolean[] {false, true}) {
            FlightSqlClient.Transaction transaction = sql.beginTransaction(writer);
            try (ArrowStreamReader reader = new ArrowStreamReader(new ByteArrayInputStream(many), allocator)) {
                assertThat(sql.executeIngest(reader, options(CREATE, Map.of()), transaction, writer))
                        .isEqualTo(200_000);
            }
            assertThat(run("from t")).contains("INVALID_SQL");
            if (commit) {
                sql.commit(transaction, writer);
            } else {
                sql.rollback(transaction, writer);
            }
        }
        assertThat(run("select count(*) as n from t")).isEqualTo("n\r\n200000\r\n");
    }

    @Test
    void anUploadThatBreaksLeavesTheTransactionToBeRolledBack() throws Exception {
        run("create table t (i integer primary key)");
        FlightSqlClient.Transaction transaction = sql.beginTransaction(writer);
        byte[] twice = stream("select (i % 1000)::int as i from range(2000) r(i)");
        try (ArrowStreamReader reader = new ArrowStreamReader(new ByteArrayInputStream(twice), allocator)) {
            assertThat(catchThrowableOfType(
                            FlightRuntimeException.class,
                            () -> sql.executeIngest(reader, options(APPEND, Map.of()), transaction, writer)))
                    .isNotNull();
        }
        assertThat(catchThrowableOfType(FlightRuntimeException.class, () -> sql.commit(transaction, writer)))
                .isNotNull();
        assertThat(run("select count(*) as n from t")).isEqualTo("n\r\n0\r\n");
    }

    @Test
    void anUploadWaitsUnreadForItsTurn() throws Exception {
        byte[] many = stream(MANY);
        try (InputStream one = hog();
                InputStream two = hog()) {
            assertThat(one.read() + two.read()).isPositive();
            CompletableFuture<Long> loading = CompletableFuture.supplyAsync(
                    () -> {
                        try {
                            return load(many, CREATE, writer);
                        } catch (Exception e) {
                            throw new IllegalStateException(e);
                        }
                    },
                    TestGateway::onThread);
            DefaultQueryService queries = gateway.bean(DefaultQueryService.class);
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> queries.liveQueries().stream()
                            .anyMatch(query -> query.kind() == dev.weir.engine.StatementKind.INGEST));
            assertThat(queries.uploadBytes()).isZero();
            one.close();
            two.close();
            assertThat(loading.get()).isEqualTo(200_000);
        }
    }

    /** A query that holds a slot as long as nobody reads it: no slot is lent here. */
    private InputStream hog() throws Exception {
        return gateway.stream(TestGateway.ADMIN, ARROW, "select i, repeat('x', 1000) as s from range(40000000) t(i)")
                .body();
    }

    @Test
    void aMessageThatIsTooLargeIsAnswered() throws Exception {
        byte[] large = stream("select repeat('x', 1000000) as s from range(70)");
        assertThat(load(large, CREATE, writer)).isEqualTo(70);
        try (org.apache.arrow.vector.VectorSchemaRoot root =
                org.apache.arrow.vector.VectorSchemaRoot.of(huge(70 << 20))) {
            FlightRuntimeException failure = catchThrowableOfType(
                    FlightRuntimeException.class, () -> sql.executeIngest(root, options(REPLACE, Map.of()), writer));
            assertThat(failure.status().code()).isEqualTo(FlightStatusCode.RESOURCE_EXHAUSTED);
            assertThat(failure).hasMessageContaining("67108864");
        }
    }

    private org.apache.arrow.vector.VarBinaryVector huge(int bytes) {
        var vector = new org.apache.arrow.vector.VarBinaryVector("b", allocator);
        vector.allocateNew(bytes, 1);
        vector.setSafe(0, new byte[bytes]);
        vector.setValueCount(1);
        return vector;
    }
}
