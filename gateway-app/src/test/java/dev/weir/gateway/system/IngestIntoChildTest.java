package dev.weir.gateway.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.engine.QueryEngine;
import dev.weir.gateway.query.DefaultQueryService;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.arrow.flight.FlightClient;
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

/** Bulk ingest into a database that a child process owns. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(120)
class IngestIntoChildTest {

    private static final String ARROW = "application/vnd.apache.arrow.stream";
    private static final String MANY = "select i, 'row ' || i as s from range(200000) r(i)";

    private TestGateway gateway;

    @BeforeAll
    void start(@TempDir Path directory) throws Exception {
        gateway = TestGateway.start(
                directory,
                "--weir.engine.duckdb.database=" + directory.resolve("db.duckdb"),
                "--weir.engine.duckdb.process=child");
    }

    @AfterAll
    void stop() {
        gateway.close();
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

    private CompletableFuture<HttpResponse<String>> post(String mode, HttpRequest.BodyPublisher body) {
        return gateway.client()
                .sendAsync(
                        gateway.request(TestGateway.WRITER, "/v1/tables/t/rows?mode=" + mode)
                                .header("Content-Type", ARROW)
                                .POST(body)
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void rowsOverHttpArriveCellByCell() throws Exception {
        HttpResponse<String> answer = post("create", HttpRequest.BodyPublishers.ofByteArray(stream(MANY)))
                .get();
        assertThat(answer.body()).contains("\"rows\":200000");
        assertThat(run("select count(*) as n from ((" + MANY + ") except all (from t))"))
                .isEqualTo("n\r\n0\r\n");
    }

    @Test
    void rowsOverFlightAreCommittedWithTheTransaction() throws Exception {
        TableDefinitionOptions create = TableDefinitionOptions.newBuilder()
                .setIfNotExist(TableNotExistOption.TABLE_NOT_EXIST_OPTION_CREATE)
                .setIfExists(TableExistsOption.TABLE_EXISTS_OPTION_FAIL)
                .build();
        byte[] many = stream(MANY);
        try (BufferAllocator allocator = new RootAllocator();
                FlightClient client = gateway.flight(allocator);
                FlightSqlClient sql = new FlightSqlClient(client);
                ArrowStreamReader reader = new ArrowStreamReader(new ByteArrayInputStream(many), allocator)) {
            CredentialCallOption writer = client.authenticateBasicToken(TestGateway.WRITER, TestGateway.PASSWORD)
                    .orElseThrow();
            FlightSqlClient.Transaction transaction = sql.beginTransaction(writer);
            var options = new FlightSqlClient.ExecuteIngestOptions("t", create, false, null, null, Map.of());
            assertThat(sql.executeIngest(reader, options, transaction, writer)).isEqualTo(200_000);
            assertThat(run("from t")).contains("INVALID_SQL");
            sql.commit(transaction, writer);
        }
        assertThat(run("select count(*) as n from t")).isEqualTo("n\r\n200000\r\n");
    }

    @Test
    void aChildThatDiesDuringTheUploadLeavesNoRow() throws Exception {
        run("create table t (i bigint, s varchar)");
        byte[] many = stream(MANY);
        PipedOutputStream upload = new PipedOutputStream();
        PipedInputStream body = new PipedInputStream(upload, 1 << 20);
        CompletableFuture<HttpResponse<String>> answer =
                post("append", HttpRequest.BodyPublishers.ofInputStream(() -> body));
        upload.write(many, 0, many.length / 2);
        upload.flush();
        await().atMost(Duration.ofSeconds(30))
                .until(() -> gateway.bean(DefaultQueryService.class).liveQueries().stream()
                        .anyMatch(query -> query.rows() > 0));
        String address = gateway.bean(QueryEngine.class).nodes().get(0).address();
        ProcessHandle.of(Long.parseLong(address.substring("pid ".length())))
                .orElseThrow()
                .destroyForcibly();
        await().atMost(Duration.ofSeconds(30))
                .until(() ->
                        gateway.bean(DefaultQueryService.class).liveQueries().isEmpty());
        // The client of the JDK looks for an answer once it has sent everything.
        upload.close();
        HttpResponse<String> failed = answer.get();
        assertThat(failed.statusCode()).as(failed.body()).isEqualTo(503);
        assertThat(failed.body()).contains("ENGINE_UNAVAILABLE", "nothing of it was kept");
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(
                        () -> assertThat(run("select count(*) as n from t")).isEqualTo("n\r\n0\r\n"));
    }
}
