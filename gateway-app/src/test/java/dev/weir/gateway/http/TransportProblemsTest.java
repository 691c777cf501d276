package dev.weir.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.util.unit.DataSize;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What is no HTTP gets a problem, too, and the connection ends. */
class TransportProblemsTest {

    private static FrontServer server;

    @BeforeAll
    static void start() {
        server = new FrontServer(DataSize.ofKilobytes(64));
        server.queries.answer(r -> CompletableFuture.completedFuture(FakeResult.numbers(server.allocator, 1, 3)));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "nonsense\r\n\r\n",
                "GET /v1/queries HTTP/9.x\r\n\r\n",
                "GET /v1/queries HTTP/1.1\r\nHost: x\r\nX-User: ada\r\nno colon\r\n\r\n",
                "POST /v1/queries HTTP/1.1\r\nHost: x\r\nX-User: ada\r\nContent-Length: -1\r\n\r\n"
            })
    void aRequestThatIsNoHttp(String request) throws Exception {
        refused(request, 400, "HTTP");
    }

    @Test
    void anAddressThatIsTooLong() throws Exception {
        refused("GET /v1/queries?" + "x".repeat(10_000) + " HTTP/1.1\r\nHost: x\r\n\r\n", 414, "body");
    }

    @Test
    void headersThatAreTooLarge() throws Exception {
        refused(
                "GET /v1/queries HTTP/1.1\r\nHost: x\r\nX-Weir-Tags: " + "x".repeat(20_000) + "\r\n\r\n",
                431,
                "headers");
    }

    @Test
    void aChunkThatIsNone() throws Exception {
        refused(
                "POST /v1/queries HTTP/1.1\r\nHost: x\r\nX-User: ada\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nselect",
                400,
                "HTTP");
    }

    @Test
    void aStatementWhoseRestIsBrokenIsNotRun() throws Exception {
        int before = server.queries.executions.size();
        refused(
                "POST /v1/queries HTTP/1.1\r\nHost: x\r\nX-User: ada\r\nTransfer-Encoding: chunked\r\n\r\n"
                        + "d\r\ndelete from t\r\nzz\r\n where id = 1\r\n0\r\n\r\n",
                400,
                "HTTP");
        assertThat(server.queries.executions).hasSize(before);
    }

    @Test
    void aBrokenBodyThatNobodyReadsEndsTheConnectionToo() throws Exception {
        try (RawClient client = new RawClient(server.port())) {
            client.send("GET /v1/queries/none HTTP/1.1\r\nHost: x\r\nX-User: ada\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\nzz\r\n");
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            assertThat(client.readTo(all)).isEqualTo(RawClient.End.CLOSED);
            assertThat(all.toString(StandardCharsets.UTF_8)).startsWith("HTTP/1.1 404");
        }
    }

    @Test
    void otherAnswersAreLeftAsTheyAre() throws Exception {
        try (RawClient client = new RawClient(server.port())) {
            client.send("GET /v1/queries/none HTTP/1.1\r\nHost: x\r\nX-User: ada\r\n\r\n");
            assertThat(client.head()).startsWith("HTTP/1.1 404").contains("application/problem+json");
        }
        assertThat(server.post("select 1", "text/csv").statusCode()).isEqualTo(200);
    }

    private static void refused(String request, int status, String word) throws IOException {
        try (RawClient client = new RawClient(server.port())) {
            client.send(request);
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            assertThat(client.readTo(all)).isEqualTo(RawClient.End.CLOSED);
            String answer = all.toString(StandardCharsets.UTF_8);
            int body = answer.indexOf("\r\n\r\n") + 4;
            assertThat(answer).startsWith("HTTP/1.1 " + status + " ");
            assertThat(answer.substring(0, body).toLowerCase(java.util.Locale.ROOT))
                    .contains("content-type: application/problem+json")
                    .contains("content-length: " + (all.size() - body));
            JsonNode problem = JsonMapper.shared().readTree(answer.substring(body));
            assertThat(problem.get("code").asString()).isEqualTo("INVALID_REQUEST");
            assertThat(problem.get("status").asInt()).isEqualTo(status);
            assertThat(problem.get("detail").asString()).contains(word);
        }
    }
}
