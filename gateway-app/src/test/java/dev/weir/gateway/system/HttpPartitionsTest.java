package dev.weir.gateway.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.admission.AdmissionController;
import dev.weir.engine.EngineStats;
import dev.weir.engine.QueryEngine;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** One result over several HTTP calls. */
class HttpPartitionsTest {

    private static final int ROWS = 300_000;

    @TempDir
    static Path directory;

    private static TestGateway gateway;

    @BeforeAll
    static void start() throws Exception {
        gateway = TestGateway.start(directory, "--weir.admission.client-stall-timeout=2s");
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    @AfterEach
    void nothingIsLeft() {
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            assertThat(gateway.bean(AdmissionController.class).snapshot().running())
                    .isZero();
            assertThat(gateway.bean(QueryEngine.class).stats()).isEqualTo(new EngineStats(0, 0, 0, 0));
        });
    }

    private static HttpResponse<String> submit(String json) throws Exception {
        return gateway.send(gateway.request(TestGateway.READER, "/v1/queries")
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json)));
    }

    private static HttpResponse<String> get(String path, String accept) throws Exception {
        return gateway.send(gateway.request(TestGateway.READER, path)
                .header("Accept", accept)
                .GET());
    }

    private static JsonNode json(HttpResponse<String> response) {
        return JsonMapper.shared().readTree(response.body());
    }

    @Test
    void eachRowIsInOnePartition() throws Exception {
        HttpResponse<String> accepted =
                submit("{\"sql\": \"select i from range(" + ROWS + ") t(i)\", \"partitions\": 4}");
        assertThat(accepted.statusCode()).as(accepted.body()).isEqualTo(202);
        JsonNode result = json(accepted).get("result");
        assertThat(result.get("partitions").intValue()).isEqualTo(4);
        String url = result.get("url").stringValue();
        assertThat(accepted.headers().firstValue("Location"))
                .hasValueSatisfying(path -> assertThat(url).isEqualTo(path + "/result"));
        ExecutorService readers = Executors.newFixedThreadPool(2);
        List<Long> rows = new ArrayList<>();
        try {
            List<Future<HttpResponse<String>>> parts = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                String part = url + "?partition=" + i;
                parts.add(readers.submit(() -> get(part, "text/csv")));
            }
            for (Future<HttpResponse<String>> part : parts) {
                HttpResponse<String> answer = part.get(60, TimeUnit.SECONDS);
                assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
                answer.body().lines().skip(1).map(Long::valueOf).forEach(rows::add);
            }
        } finally {
            readers.shutdownNow();
        }
        assertThat(rows).hasSize(ROWS);
        assertThat(rows.stream().mapToLong(Long::longValue).sorted().toArray())
                .isEqualTo(LongStream.range(0, ROWS).toArray());
        assertThat(get(url + "?partition=1", "text/csv").statusCode()).isEqualTo(409);
        assertThat(get(url + "?partition=4", "text/csv").statusCode()).isEqualTo(404);
        assertThat(get(url, "text/csv").statusCode()).isEqualTo(400);
        assertThat(get(url + "?partition=x", "text/csv").body()).contains("partition=0 to 3");
        String path = accepted.headers().firstValue("Location").orElseThrow();
        assertThat(json(get(path, "application/json"))
                        .get("result")
                        .get("partitions")
                        .intValue())
                .isEqualTo(4);
    }

    @Test
    void anOrderAndAChangeStayWhole() throws Exception {
        for (String sql : List.of("select i from range(9) t(i) order by i", "explain select 1")) {
            JsonNode accepted = json(submit("{\"sql\": \"" + sql + "\", \"partitions\": 2}"));
            JsonNode result = accepted.get("result");
            assertThat(result.get("partitions").intValue()).isEqualTo(1);
            assertThat(get(result.get("url").stringValue() + "?partition=0", "text/csv")
                            .statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    void badRequests() throws Exception {
        assertThat(submit("{\"sql\": \"select 1\", \"partitions\": 33}").body())
                .contains("weir.results.max-partitions");
        for (String wrong : List.of("0", "-3", "1.5", "\"two\"")) {
            HttpResponse<String> refused = submit("{\"sql\": \"select 1\", \"partitions\": " + wrong + "}");
            assertThat(refused.statusCode()).isEqualTo(400);
            assertThat(refused.body()).contains("partitions");
        }
        assertThat(submit("{\"sql\": \"select 1\", \"partitions\": 2, \"rowLimit\": 5}")
                        .statusCode())
                .isEqualTo(400);
        HttpResponse<String> whole = submit("{\"sql\": \"select 1\", \"wait\": 0}");
        assertThat(get(json(whole).get("result").get("url").stringValue() + "?partition=0", "text/csv")
                        .statusCode())
                .isEqualTo(400);
    }

    @Test
    void aFailureAndAnAbsentReaderEndTheQuery() throws Exception {
        JsonNode broken = json(submit("{\"sql\": \"select 1 / 0::int, cast('x' as int)\", \"partitions\": 2}"));
        HttpResponse<String> first =
                get(broken.get("result").get("url").stringValue() + "?partition=0", "application/json");
        assertThat(first.statusCode()).isIn(400, 422);
        JsonNode unread = json(submit("{\"sql\": \"select i from range(10000000) t(i)\", \"partitions\": 2}"));
        String path = "/v1/queries/" + unread.get("queryId").stringValue();
        await().atMost(Duration.ofSeconds(20))
                .until(() -> json(get(path, "application/json"))
                        .get("state")
                        .stringValue()
                        .equals("FAILED"));
        assertThat(json(get(path, "application/json")).get("error").get("code").stringValue())
                .isEqualTo("CLIENT_STALLED");
        assertThat(get(path + "/result?partition=0", "text/csv").statusCode()).isEqualTo(422);
    }
}
