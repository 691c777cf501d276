package dev.weir.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.admission.Priority;
import dev.weir.gateway.query.QueryRequest;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How a request to run a statement is read. */
class RequestTest extends RequestSupport {

    @ParameterizedTest
    @ValueSource(strings = {"application/x-www-form-urlencoded", "text/plain", "application/sql; charset=utf-8", "x/y"})
    void aBodyOfAnyOtherTypeIsTheStatementAsItIs(String contentType) {
        String sql = "select 'a=b&c+d %41 \uD83D\uDE00'";
        assertThat(asked(send(contentType, sql.getBytes(StandardCharsets.UTF_8)))
                        .sql())
                .isEqualTo(sql);
    }

    @Test
    void aBodyWithoutTypeIsTheStatementAndAByteOrderMarkIsNoPartOfIt() {
        assertThat(asked(send(null, "select 1".getBytes(StandardCharsets.UTF_8)))
                        .sql())
                .isEqualTo("select 1");
        assertThat(asked(send(null, "\uFEFFselect 1".getBytes(StandardCharsets.UTF_8)))
                        .sql())
                .isEqualTo("select 1");
    }

    @Test
    void aBodyThatIsNotUtf8IsRefused() {
        refused(send("text/plain", new byte[] {'s', (byte) 0xC3, '('}), "UTF-8");
        refused(send("text/plain", new byte[] {(byte) 0xED, (byte) 0xA0, (byte) 0x80}), "UTF-8");
        refused(
                send("application/json", new byte[] {'{', '"', 's', '"', ':', '"', (byte) 0xC3, '(', '"', '}'}),
                "JSON");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " \n\t "})
    void aBodyWithoutAStatementIsRefused(String body) {
        refused(send(null, body.getBytes(StandardCharsets.UTF_8)), "no statement");
        refused(json("{\"sql\": \"" + body.replace("\n", "\\n").replace("\t", "\\t") + "\"}"), "no statement");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "[1]",
                "null",
                "\"select 1\"",
                "{\"sql\":\"select 1\"} x",
                "{\"sql\":\"select 1\",}",
                "{\"sql\":\"a\",\"sql\":\"b\"}",
                "{'sql':'a'}"
            })
    void brokenJsonIsRefusedWithoutShowingIt(String body) {
        HttpResponse<byte[]> response = json(body);
        refused(response, "JSON");
        assertThat(text(response)).doesNotContain("select 1");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"sql\":\"x\",\"wat\":1}|wat",
                "{\"sql\":\"x\",\"wat\":null}|wat",
                "{\"parameters\":[]}|sql",
                "{\"sql\":7}|sql",
                "{\"sql\":\"x\",\"parameters\":{}}|parameters",
                "{\"sql\":\"x\",\"wait\":5}|wait",
                "{\"sql\":\"x\",\"wait\":\"5\"}|wait",
                "{\"sql\":\"x\",\"timeout\":\"0s\"}|timeout",
                "{\"sql\":\"x\",\"timeout\":\"-1s\"}|timeout",
                "{\"sql\":\"x\",\"timeout\":\"99999999999999999999d\"}|timeout",
                "{\"sql\":\"x\",\"queueTimeout\":true}|queueTimeout",
                "{\"sql\":\"x\",\"rowLimit\":-1}|rowLimit",
                "{\"sql\":\"x\",\"rowLimit\":1.5}|rowLimit",
                "{\"sql\":\"x\",\"rowLimit\":\"5\"}|rowLimit",
                "{\"sql\":\"x\",\"rowLimit\":99999999999999999999}|rowLimit",
                "{\"sql\":\"x\",\"memory\":512}|memory",
                "{\"sql\":\"x\",\"memory\":\"lots\"}|memory",
                "{\"sql\":\"x\",\"memory\":\"-1MB\"}|memory",
                "{\"sql\":\"x\",\"tags\":[]}|tags",
                "{\"sql\":\"x\",\"tags\":{\"a\":1}}|tags"
            })
    void aWrongKeyOrTypeIsRefusedByName(String body, String key) {
        refused(json(body), "\\\"" + key + "\\\"");
    }

    @Test
    void everyOptionOfTheJsonBodyArrives() {
        QueryRequest request = asked(json("""
                {"sql": "select ?", "parameters": [1], "wait": "PT20S", "timeout": "30s", "queueTimeout": "PT5S",
                 "rowLimit": 2, "memory": "512MB", "class": "heavy", "priority": "low", "tags": {"job": "nightly"}}
                """));
        assertThat(request.sql()).isEqualTo("select ?");
        assertThat(request.statementTimeout()).isEqualTo(Optional.of(Duration.ofSeconds(30)));
        assertThat(request.queueTimeout()).isEqualTo(Optional.of(Duration.ofSeconds(5)));
        assertThat(request.memoryBytes()).isEqualTo(OptionalLong.of(512L << 20));
        assertThat(request.heavy()).isTrue();
        assertThat(request.priority()).isEqualTo(Priority.LOW);
        assertThat(request.tags()).isEqualTo(Map.of("job", "nightly"));
        assertThat(server.queries.last().result.finishedEarly).isTrue();
    }

    @Test
    void everyOptionAsAHeaderMeansTheSame() {
        QueryRequest request = asked(send(
                null,
                "select 1".getBytes(StandardCharsets.UTF_8),
                "X-Weir-Timeout",
                "30s",
                "X-Weir-Queue-Timeout",
                "500ms",
                "X-Weir-Memory",
                "1GB",
                "X-Weir-Class",
                "heavy",
                "X-Weir-Priority",
                "high",
                "X-Weir-Wait",
                "20s",
                "X-Weir-Row-Limit",
                "1",
                "X-Weir-Tags",
                "job=nightly, team=data"));
        assertThat(request.statementTimeout()).isEqualTo(Optional.of(Duration.ofSeconds(30)));
        assertThat(request.queueTimeout()).isEqualTo(Optional.of(Duration.ofMillis(500)));
        assertThat(request.memoryBytes()).isEqualTo(OptionalLong.of(1L << 30));
        assertThat(request.heavy()).isTrue();
        assertThat(request.priority()).isEqualTo(Priority.HIGH);
        assertThat(request.tags()).isEqualTo(Map.of("job", "nightly", "team", "data"));
        assertThat(server.queries.last().result.finishedEarly).isTrue();
    }

    @Test
    void onlyHeavyCanBeDeclaredAndOnlyThreePrioritiesExist() {
        QueryRequest plain = asked(json("{\"sql\":\"x\"}"));
        assertThat(plain.heavy()).isFalse();
        assertThat(plain.priority()).isEqualTo(Priority.NORMAL);
        refused(json("{\"sql\":\"x\",\"class\":\"short\"}"), "class");
        refused(json("{\"sql\":\"x\",\"class\":true}"), "class");
        refused(json("{\"sql\":\"x\",\"priority\":\"urgent\"}"), "priority");
        refused(json("{\"sql\":\"x\"}", "X-Weir-Class", "short"), "X-Weir-Class");
        refused(json("{\"sql\":\"x\"}", "X-Weir-Priority", "1"), "X-Weir-Priority");
        refused(json("{\"sql\":\"x\",\"priority\":\"low\"}", "X-Weir-Priority", "high"), "priority");
    }

    @Test
    void anOptionGivenTwiceMustBeEqual() {
        asked(json("{\"sql\":\"x\",\"timeout\":\"60s\"}", "X-Weir-Timeout", "1m"));
        refused(json("{\"sql\":\"x\",\"timeout\":\"60s\"}", "X-Weir-Timeout", "2m"), "timeout");
        refused(json("{\"sql\":\"x\",\"wait\":\"3s\"}", "Prefer", "wait=4"), "wait");
    }

    @Test
    void aRowLimitTellsWhetherRowsWereLeftOut() {
        assertThat(text(json("{\"sql\":\"x\",\"rowLimit\":2}")))
                .contains("\"data\":[[0],[1]],\"rowCount\":2,\"truncated\":true");
        assertThat(text(json("{\"sql\":\"x\",\"rowLimit\":3}"))).contains("\"rowCount\":3,\"truncated\":false");
        assertThat(text(json("{\"sql\":\"x\",\"rowLimit\":0}")))
                .contains("\"data\":[],\"rowCount\":0,\"truncated\":true");
    }

    @Test
    void aKeyGivenTwiceIsNamed() {
        refused(json("{\"sql\":\"a\",\"timeout\":\"1s\",\"sql\":\"b\"}"), "JSON", "\\\"sql\\\" twice");
        refused(json("{\"sql\":\"a\",\"tags\":{\"job\":\"1\",\"job\":\"2\"}}"), "\\\"job\\\" twice");
        refused(json("{\"" + "k".repeat(9_000) + "\":1,\"" + "k".repeat(9_000) + "\":1}"), "kkk...\\\" twice");
    }

    @Test
    void aBodyBeyondTheLimitIsTooLarge() {
        HttpResponse<byte[]> response = send(null, new byte[MAX_BODY + 1]);
        assertThat(response.statusCode()).isEqualTo(413);
        assertThat(text(response))
                .contains("\"code\":\"TOO_LARGE\"", "\"limit\":{\"scope\":\"query\",\"name\":\"http.max-body-size\"");
        byte[] largest = new byte[MAX_BODY];
        Arrays.fill(largest, (byte) 'x');
        assertThat(asked(send(null, largest)).sql()).hasSize(MAX_BODY);
    }

    @Test
    void aChunkedBodyIsLimitedToo() {
        byte[] body = new byte[4 * MAX_BODY];
        HttpResponse<byte[]> response = server.send(server.request("/v1/queries")
                .POST(HttpRequest.BodyPublishers.ofInputStream(() -> new java.io.ByteArrayInputStream(body))));
        assertThat(response.statusCode()).isEqualTo(413);
    }

    @Test
    void aClientThatIsStillSendingGetsToReadTheRefusal() throws Exception {
        try (RawClient client = new RawClient(server.port())) {
            client.send("POST /v1/queries HTTP/1.1\r\nHost: x\r\nX-User: ada\r\nContent-Length: 1000000000\r\n\r\n");
            String part = "x".repeat(1 << 20);
            for (int i = 0; i < 8; i++) {
                client.send(part);
            }
            assertThat(client.head()).startsWith("HTTP/1.1 413").containsIgnoringCase("connection: close");
            assertThat(client.readTo(new java.io.ByteArrayOutputStream())).isEqualTo(RawClient.End.CLOSED);
        }
    }

    @Test
    void anEncodedBodyIsRefused() {
        HttpResponse<byte[]> response =
                send(null, "select 1".getBytes(StandardCharsets.UTF_8), "Content-Encoding", "gzip");
        assertThat(response.statusCode()).isEqualTo(415);
        assertThat(text(response)).contains("INVALID_REQUEST");
        assertThat(response.headers().firstValue("Accept-Encoding")).hasValue("identity");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "*/*|application/json",
                "text/csv, */*|text/csv",
                "application/json;q=0.5, text/csv|text/csv",
                "text/*|text/csv",
                "application/*|application/json",
                "application/json;q=0, */*;q=0.1|application/vnd.apache.arrow.stream",
                "application/x-ndjson, application/json|application/x-ndjson",
                "application/json, application/x-ndjson|application/json",
                "text/html, application/vnd.apache.arrow.stream|application/vnd.apache.arrow.stream",
                "application/json; charset=utf-8|application/json"
            })
    void theFormatFollowsTheAcceptHeader(String accept, String expected) {
        HttpResponse<byte[]> response = server.post("select 1", accept);
        assertThat(response.headers().firstValue("Content-Type").orElseThrow()).startsWith(expected);
        assertThat(response.headers().firstValue("Vary")).hasValue("Accept, Accept-Encoding");
    }

    @ParameterizedTest
    @ValueSource(strings = {"text/html", "application/json;q=0", "image/*"})
    void anUnknownFormatIsNotAcceptable(String accept) {
        HttpResponse<byte[]> response = server.post("select 1", accept);
        assertThat(response.statusCode()).isEqualTo(406);
        assertThat(text(response)).contains("INVALID_REQUEST", "text/csv", "application/vnd.apache.arrow.stream");
    }

    @Test
    void aMalformedHeaderIsRefused() {
        refused(server.post("select 1", "not a type"), "Accept");
        refused(send("not a type", new byte[] {'x'}), "Content-Type");
        refused(server.post("select 1", "*/*", "X-Weir-Row-Limit", "many"), "X-Weir-Row-Limit");
        refused(server.post("select 1", "*/*", "X-Weir-Tags", "loose"), "X-Weir-Tags");
    }
}
