package dev.weir.gateway.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.gateway.query.DefaultQueryService;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** POST /v1/tables/{name}/rows against a whole gateway. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(120)
class IngestOverHttpTest {

    private static final String ARROW = "application/vnd.apache.arrow.stream";
    private static final String MANY = "select i, 'row ' || i as s from range(300000) r(i)";

    private TestGateway gateway;

    @BeforeAll
    void start(@TempDir Path directory) throws Exception {
        gateway = TestGateway.start(directory, "--weir.admission.client-stall-timeout=3s");
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

    private HttpResponse<String> post(String user, String address, String type, byte[] body) throws Exception {
        return gateway.client()
                .send(
                        gateway.request(user, address)
                                .header("Content-Type", type)
                                .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> load(String parameters, byte[] body) throws Exception {
        return post(TestGateway.WRITER, "/v1/tables/t/rows" + parameters, ARROW, body);
    }

    @Test
    void everyModeDoesWhatItSays() throws Exception {
        byte[] one = stream("select 1 as i");
        assertThat(load("", one).statusCode()).isEqualTo(400);
        assertThat(load("?mode=create", one).statusCode()).isEqualTo(200);
        assertThat(load("?mode=create", one).body()).contains("INVALID_SQL");
        assertThat(load("?mode=append", one).statusCode()).isEqualTo(200);
        assertThat(load("?mode=create_append&schema=main", one).statusCode()).isEqualTo(200);
        assertThat(run("select count(*) as n from t")).isEqualTo("n\r\n3\r\n");
        assertThat(load("?mode=replace", one).statusCode()).isEqualTo(200);
        assertThat(run("select count(*) as n from t")).isEqualTo("n\r\n1\r\n");
        assertThat(load("?mode=upsert", one).statusCode()).isEqualTo(400);
        assertThat(load("?mood=append", one).statusCode()).isEqualTo(400);
        assertThat(load("?temporary=true", one).statusCode()).isEqualTo(400);
        assertThat(post(TestGateway.WRITER, "/v1/tables/%ff%fe/rows?mode=create", ARROW, one)
                        .body())
                .contains("INVALID_REQUEST", "UTF-8");
    }

    @Test
    void manyRowsAreCountedAndWhole() throws Exception {
        HttpResponse<String> answer = load("?mode=create", stream(MANY));
        assertThat(answer.statusCode()).isEqualTo(200);
        String id = answer.headers().firstValue("X-Weir-Query-Id").orElseThrow();
        assertThat(answer.body()).isEqualTo("{\"queryId\":\"" + id + "\",\"rows\":300000}\n");
        assertThat(run("select count(*) as n from ((" + MANY + ") except all (from t))"))
                .isEqualTo("n\r\n0\r\n");
        assertThat(gateway.get(TestGateway.WRITER, "/v1/queries/" + id).body())
                .contains("\"kind\":\"INGEST\"", "\"rows\":300000", "\"state\":\"FINISHED\"");
    }

    @Test
    void otherBodiesAreRefused() throws Exception {
        byte[] one = stream("select 1 as i");
        String address = "/v1/tables/t/rows?mode=create";
        assertThat(post(TestGateway.WRITER, address, "text/csv", one).statusCode())
                .isEqualTo(415);
        assertThat(post(TestGateway.READER, address, ARROW, one).statusCode()).isEqualTo(403);
        assertThat(load("?mode=create", "i\n1\n".getBytes(StandardCharsets.UTF_8))
                        .statusCode())
                .isEqualTo(400);
        assertThat(load("?mode=create", new byte[0]).statusCode()).isEqualTo(400);
        assertThat(gateway.get(TestGateway.WRITER, "/v1/tables/t/rows").statusCode())
                .isEqualTo(405);
    }

    @Test
    void aStreamThatIsCutShortLeavesNoRow() throws Exception {
        byte[] many = stream(MANY);
        for (int end : new int[] {many.length - 8, many.length - 4, many.length / 2, many.length / 3, 100, 4}) {
            HttpResponse<String> answer = load("?mode=create", Arrays.copyOf(many, end));
            assertThat(answer.statusCode()).as("%d bytes", end).isEqualTo(400);
            assertThat(answer.body()).contains("INVALID_REQUEST");
        }
        assertThat(run("from t")).contains("INVALID_SQL");
    }

    @Test
    void aClientThatLeavesLeavesNoRow() throws Exception {
        byte[] many = stream(MANY);
        try (SSLSocket socket = (SSLSocket)
                gateway.client().sslContext().getSocketFactory().createSocket("localhost", gateway.httpPort())) {
            OutputStream out = socket.getOutputStream();
            String credentials = Base64.getEncoder()
                    .encodeToString((TestGateway.WRITER + ":" + TestGateway.PASSWORD).getBytes(StandardCharsets.UTF_8));
            out.write(("POST /v1/tables/t/rows?mode=create HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic "
                            + credentials + "\r\nContent-Type: " + ARROW + "\r\nContent-Length: " + many.length
                            + "\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII));
            out.write(many, 0, many.length / 2);
            out.flush();
            DefaultQueryService queries = gateway.bean(DefaultQueryService.class);
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> queries.liveQueries().stream().anyMatch(query -> query.rows() > 0));
        }
        nothingIsHeld();
        assertThat(run("from t")).contains("INVALID_SQL");
        assertThat(gateway.get(TestGateway.WRITER, "/v1/queries").body()).contains("CANCELLED");
    }

    @Test
    void partsAreCommittedAsOne() throws Exception {
        byte[] first = stream("select 1 as p, r.i from range(100000) r(i)");
        byte[] second = stream("select 2 as p, r.i from range(200000) r(i)");
        CompletableFuture<HttpResponse<String>> one =
                CompletableFuture.supplyAsync(() -> part(first, 0), TestGateway::onThread);
        HttpResponse<String> two = part(second, 1);
        assertThat(two.body()).contains("\"rows\":200000");
        assertThat(one.get().body()).contains("\"rows\":100000");
        assertThat(run("select count(*) as n from t")).isEqualTo("n\r\n300000\r\n");
    }

    private HttpResponse<String> part(byte[] body, int part) {
        try {
            return load("?mode=create&ingest=a&parts=2&part=" + part, body);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
