package dev.weir.gateway.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.engine.QueryEngine;
import dev.weir.gateway.query.DefaultQueryService;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Bad input and bad luck get a clear error, name no text or path, and leave the gateway well. */
class BadInputTest {

    private static final JsonMapper JSON = new JsonMapper();

    @TempDir
    static Path directory;

    private static TestGateway gateway;

    @BeforeAll
    static void start() throws Exception {
        gateway = TestGateway.start(
                directory.resolve("data"),
                "--weir.engine.duckdb.database=" + directory.resolve("bad.duckdb"),
                "--weir.admission.describe-timeout=2s");
        assertThat(sql(TestGateway.WRITER, "create table t as select range as n from range(2000000)")
                        .statusCode())
                .isEqualTo(200);
    }

    @AfterAll
    static void stop() {
        if (gateway != null) {
            gateway.close();
        }
    }

    @AfterEach
    void theGatewayIsWell() throws Exception {
        HttpResponse<String> answer = gateway.sql(TestGateway.READER, "text/csv", "select 42 as n");
        assertThat(answer.body()).isEqualTo("n\r\n42\r\n");
        await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
            assertThat(gateway.bean(DefaultQueryService.class).liveQueries()).isEmpty();
            assertThat(gateway.bean(QueryEngine.class).stats().openResults()).isZero();
            assertThat(gateway.bean(QueryEngine.class).stats().arrowBytes()).isZero();
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "attach ':memory:' as other",
                "copy t to '/tmp/stolen.csv'",
                "copy (select 1) to '/tmp/stolen.csv'",
                "install httpfs",
                "load httpfs",
                "select * from read_text('/etc/passwd')",
                "select * from read_csv('/etc/passwd')",
                "select * from '/etc/passwd.csv'",
                "select * from glob('/etc/*')",
                "select * from query('select 1')",
                "select * from duckdb_settings()",
                "select * from duckdb_secrets()",
                "create table mine (n int)",
                "insert into t values (1)",
                "delete from t",
                "drop table t",
                "truncate t",
                "with x as (select 1) insert into t select * from x",
                "explain analyze insert into t values (1)",
                "checkpoint",
                "export database '/tmp/stolen'",
                "pragma database_list",
                "create secret s (type s3)"
            })
    void aReaderIsForbidden(String statement) throws Exception {
        HttpResponse<String> refused = sql(TestGateway.READER, statement);
        assertProblem(refused, 403, "FORBIDDEN");
        assertThat(refused.body()).doesNotContain("/etc/passwd").doesNotContain("/tmp/stolen");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"set threads = 1", "begin", "commit", "use main", "reset threads", "create temp table x (n int)"
            })
    void whatNeedsASessionIsRefusedWithTheWayToGetOne(String statement) throws Exception {
        HttpResponse<String> refused = sql(TestGateway.WRITER, statement);
        assertThat(refused.statusCode()).as(refused.body()).isIn(400, 403);
        assertThat(JSON.readTree(refused.body()).get("detail").asString()).isNotBlank();
    }

    @Test
    void credentialsAreNeeded() throws Exception {
        HttpRequest none = HttpRequest.newBuilder(gateway.uri("/v1/queries"))
                .POST(HttpRequest.BodyPublishers.ofString("select 1"))
                .build();
        HttpResponse<String> refused = gateway.client().send(none, HttpResponse.BodyHandlers.ofString());
        assertProblem(refused, 401, "UNAUTHENTICATED");
        assertThat(refused.headers().allValues("WWW-Authenticate")).isNotEmpty();
        HttpRequest wrong = HttpRequest.newBuilder(gateway.uri("/v1/queries"))
                .header("Authorization", TestGateway.basic(TestGateway.READER, "wrong"))
                .POST(HttpRequest.BodyPublishers.ofString("select 1"))
                .build();
        assertProblem(gateway.client().send(wrong, HttpResponse.BodyHandlers.ofString()), 401, "UNAUTHENTICATED");
    }

    @Test
    void aMethodThatNobodyMayUseIsAProblem() throws Exception {
        HttpRequest trace = gateway.request(TestGateway.READER, "/v1/queries")
                .method("TRACE", HttpRequest.BodyPublishers.noBody())
                .build();
        assertProblem(gateway.client().send(trace, HttpResponse.BodyHandlers.ofString()), 400, "INVALID_REQUEST");
    }

    @Test
    void anAddressThatIsTooLongIsAProblem() throws Exception {
        HttpRequest longer = gateway.request(TestGateway.READER, "/v1/queries?" + "x".repeat(10_000))
                .build();
        assertProblem(gateway.client().send(longer, HttpResponse.BodyHandlers.ofString()), 414, "INVALID_REQUEST");
    }

    @Test
    void bodiesThatAreEmptyHugeOrBroken() throws Exception {
        assertThat(sql(TestGateway.READER, "").statusCode()).isEqualTo(400);
        assertThat(sql(TestGateway.READER, " ; -- nothing").statusCode()).isEqualTo(400);
        assertProblem(sql(TestGateway.READER, "select '" + "x".repeat(5_000_000) + "'"), 413, "TOO_LARGE");
        assertProblem(sql(TestGateway.READER, "select '" + "x".repeat(2_000_000) + "'"), 413, "TOO_LARGE");
        assertProblem(json("{\"sql\": \"select 1\""), 400, "INVALID_REQUEST");
        assertProblem(json("{\"sql\": 7}"), 400, "INVALID_REQUEST");
        assertProblem(json("{\"sql\": \"select 1\", \"sqll\": 1}"), 400, "INVALID_REQUEST");
        HttpRequest badUtf8 = gateway.request(TestGateway.READER, "/v1/queries")
                .POST(HttpRequest.BodyPublishers.ofByteArray(new byte[] {'s', (byte) 0xc3, (byte) 0x28}))
                .build();
        assertProblem(gateway.client().send(badUtf8, HttpResponse.BodyHandlers.ofString()), 400, "INVALID_REQUEST");
    }

    @Test
    void severalStatementsInOneTextRunNone() throws Exception {
        assertProblem(
                sql(TestGateway.WRITER, "create table two (n int); insert into two values (1)"), 400, "INVALID_SQL");
        assertProblem(sql(TestGateway.WRITER, "select * from two"), 400, "INVALID_SQL");
    }

    @Test
    void hostileNestingIsRefusedBeforeTheEngine() throws Exception {
        assertProblem(sql(TestGateway.READER, "select " + "[".repeat(900) + "]".repeat(900)), 413, "TOO_LARGE");
        assertProblem(
                sql(TestGateway.READER, "select * from (".repeat(20_000) + "select 1" + ")".repeat(20_000)),
                413,
                "TOO_LARGE");
        assertProblem(sql(TestGateway.READER, "select 1 from t" + " cross join t".repeat(1000)), 413, "TOO_LARGE");
    }

    @Test
    void aConstantThatTakesLongToFoldEndsByItsTimeout() throws Exception {
        HttpResponse<String> refused = gateway.client()
                .send(
                        gateway.request(TestGateway.READER, "/v1/queries")
                                .header("X-Weir-Timeout", "200ms")
                                .POST(HttpRequest.BodyPublishers.ofString("select len(range(20000000))"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        assertProblem(refused, 422, "STATEMENT_TIMEOUT");
    }

    @Test
    void errorsOfTheStatementHaveCodeAndPosition() throws Exception {
        JsonNode syntax = assertProblem(sql(TestGateway.READER, "select (1 from t"), 400, "INVALID_SQL");
        assertThat(syntax.get("sqlPosition").asInt()).isEqualTo(10);
        assertThat(syntax.get("sqlState").asString()).isEqualTo("42601");
        JsonNode table = assertProblem(sql(TestGateway.READER, "select * from no_such_table"), 400, "INVALID_SQL");
        assertThat(table.get("sqlState").asString()).isEqualTo("42P01");
        JsonNode column = assertProblem(sql(TestGateway.READER, "select no_such_column from t"), 400, "INVALID_SQL");
        assertThat(column.get("sqlState").asString()).isEqualTo("42703");
    }

    @ParameterizedTest
    @ValueSource(strings = {"application/json", "text/csv", "application/vnd.apache.arrow.stream"})
    void aFailureInTheMiddleOfAStreamIsVisible(String accept) throws Exception {
        String late = "select cast(case when n = 1900000 then 'x' else '1' end as int) as v, n from t";
        HttpResponse<InputStream> response = gateway.stream(TestGateway.READER, accept, late);
        if (response.statusCode() != 200) {
            assertThat(response.statusCode()).isEqualTo(422);
            return;
        }
        IOException broken = null;
        try (InputStream in = response.body()) {
            in.readAllBytes();
        } catch (IOException e) {
            broken = e;
        }
        assertThat(broken).as("a result cut short must not look complete").isNotNull();
    }

    @Test
    void aFailureInTheMiddleOfNdjsonIsItsLastLine() throws Exception {
        String late = "select cast(case when n = 1900000 then 'x' else '1' end as int) as v, n from t";
        HttpResponse<InputStream> response = gateway.stream(TestGateway.READER, "application/x-ndjson", late);
        StringBuilder read = new StringBuilder();
        byte[] buffer = new byte[65_536];
        try (InputStream in = response.body()) {
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                read.append(new String(buffer, 0, count, StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            // The connection ends without its last chunk, too: a client that counts lines only must notice.
            assertThat(read).isNotEmpty();
        }
        List<String> lines = read.toString().lines().toList();
        assertThat(lines.get(lines.size() - 1)).contains("EXECUTION_FAILED");
    }

    @Test
    void parametersOfAWrongCountOrType() throws Exception {
        assertProblem(json("{\"sql\": \"select ?::int\", \"parameters\": []}"), 400, "INVALID_REQUEST");
        assertProblem(json("{\"sql\": \"select ?::int\", \"parameters\": [1, 2]}"), 400, "INVALID_REQUEST");
        HttpResponse<String> wrong = json("{\"sql\": \"select ?::int as n\", \"parameters\": [\"seven\"]}");
        assertThat(wrong.statusCode()).as(wrong.body()).isIn(400, 422);
    }

    @Test
    void anUnknownAcceptListsWhatThereIs() throws Exception {
        HttpResponse<String> refused = gateway.sql(TestGateway.READER, "image/png", "select 1");
        JsonNode problem = assertProblem(refused, 406, "INVALID_REQUEST");
        assertThat(problem.get("detail").asString()).contains("text/csv");
    }

    @Test
    void aClientThatDisconnectsAtEachStageCancelsItsQuery() throws Exception {
        String big = "select a.n, b.n from t a, t b";
        for (int read : new int[] {0, 1, 100_000, 3_000_000}) {
            HttpResponse<InputStream> response =
                    gateway.stream(TestGateway.READER, "application/vnd.apache.arrow.stream", big);
            try (InputStream in = response.body()) {
                in.readNBytes(read);
            }
        }
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(
                        () -> assertThat(gateway.bean(DefaultQueryService.class).liveQueries())
                                .isEmpty());
    }

    @Test
    void unusualUnicodeComesBackAsItWent() throws Exception {
        List<String> texts = new ArrayList<>(List.of("\ud83d\ude00", "\u202eabc", "e\u0301", "\uffff", "'\"\\\n\t"));
        for (String text : texts) {
            String body = JSON.writeValueAsString(
                    java.util.Map.of("sql", "select ?::varchar as s", "parameters", List.of(text)));
            HttpResponse<String> answer = json(body);
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
            assertThat(JSON.readTree(answer.body()).get("data").get(0).get(0).asString())
                    .isEqualTo(text);
        }
    }

    private static HttpResponse<String> sql(String user, String statement) throws Exception {
        return gateway.sql(user, "application/json", statement);
    }

    private static HttpResponse<String> json(String body) throws Exception {
        return gateway.client()
                .send(
                        gateway.request(TestGateway.READER, "/v1/queries")
                                .header("Content-Type", "application/json")
                                .POST(HttpRequest.BodyPublishers.ofString(body, StandardCharsets.UTF_8))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }

    private static JsonNode assertProblem(HttpResponse<String> response, int status, String code) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        assertThat(response.headers().firstValue("Content-Type"))
                .hasValueSatisfying(type -> assertThat(type).startsWith("application/problem+json"));
        JsonNode problem = JSON.readTree(response.body());
        assertThat(problem.get("code").asString()).isEqualTo(code);
        assertThat(problem.get("detail").asString())
                .isNotBlank()
                .doesNotContain("java.")
                .doesNotContain("LINE 1");
        return problem;
    }
}
