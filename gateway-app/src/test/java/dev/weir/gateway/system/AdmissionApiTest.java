package dev.weir.gateway.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.admission.AdmissionController;
import java.io.InputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The calls about admission against a whole gateway. */
class AdmissionApiTest {

    private static final String BIG = "select i, repeat('x', 1000) as s from range(40000000) t(i)";

    @TempDir
    Path directory;

    @Test
    void stateAndLimitsAnswerAtSaturationAndARaisedCapGrantsAtOnce() throws Exception {
        try (TestGateway gateway = TestGateway.start(
                directory,
                "--weir.admission.max-running=1",
                "--weir.admission.short-lane=0",
                "--weir.admission.max-paused=0",
                "--weir.admission.memory.per-query=100MB",
                "--weir.admission.groups.readers.weight=2")) {
            HttpResponse<InputStream> open =
                    gateway.stream(TestGateway.READER, "application/vnd.apache.arrow.stream", BIG);
            CompletableFuture<HttpResponse<String>> waiting = gateway.client()
                    .sendAsync(
                            gateway.request(TestGateway.WRITER, "/v1/queries")
                                    .POST(HttpRequest.BodyPublishers.ofString("select 1"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            await().atMost(Duration.ofSeconds(5))
                    .until(() ->
                            gateway.bean(AdmissionController.class).snapshot().queued() == 1);

            JsonNode all = json(gateway.get(TestGateway.ADMIN, "/v1/admission"), 200);
            assertThat(all.get("running").intValue()).isEqualTo(1);
            assertThat(all.get("queued").intValue()).isEqualTo(1);
            assertThat(all.get("users")).hasSize(2);
            assertThat(all.at("/limits/groups/readers/weight").intValue()).isEqualTo(2);
            JsonNode own = json(gateway.get(TestGateway.READER, "/v1/admission"), 200);
            assertThat(own.get("users")).hasSize(1);
            assertThat(own.get("queued").intValue()).isEqualTo(1);
            JsonNode listed = json(gateway.get(TestGateway.WRITER, "/v1/queries"), 200)
                    .get("queries")
                    .get(0);
            assertThat(listed.get("waitReason").stringValue()).isEqualTo("max-running");
            assertThat(listed.at("/limit/value").stringValue()).isEqualTo("1");
            assertThat(listed.get("position").intValue()).isEqualTo(1);

            json(put(gateway, TestGateway.WRITER, "/v1/admission/limits", "{\"max-running\":2}"), 403);
            assertThat(waiting).isNotDone();
            JsonNode changed =
                    json(put(gateway, TestGateway.ADMIN, "/v1/admission/limits", "{\"max-running\":2}"), 200);
            assertThat(changed.get("max-running").intValue()).isEqualTo(2);
            assertThat(waiting.get(10, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
            open.body().close();
        }
    }

    @Test
    void aPersistedChangeHoldsAfterARestartAndAFaultNamesItsProperty() throws Exception {
        try (TestGateway gateway = TestGateway.start(directory)) {
            JsonNode refused = json(
                    put(
                            gateway,
                            TestGateway.ADMIN,
                            "/v1/admission/limits",
                            "{\"groups\":{\"etl\":{\"memory\":{\"budget\":\"2GB\"}}}}"),
                    400);
            assertThat(refused.get("code").stringValue()).isEqualTo("INVALID_REQUEST");
            assertThat(refused.get("detail").stringValue())
                    .contains("weir.admission.groups.etl.memory.budget must be at most memory.budget");
            json(
                    put(
                            gateway,
                            TestGateway.ADMIN,
                            "/v1/admission/limits?persist=true",
                            "{\"groups\":{\"readers\":{\"statement-timeout\":\"50ms\"}}}"),
                    200);
            assertThat(Files.readString(directory.resolve("limits.yaml"))).contains("50ms");
        }
        try (TestGateway gateway = TestGateway.start(directory)) {
            HttpResponse<String> late =
                    gateway.sql(TestGateway.READER, "text/csv", "select count(*) from range(100000000000)");
            assertThat(late.statusCode()).isEqualTo(422);
            assertThat(late.body()).contains("STATEMENT_TIMEOUT").contains("50 ms");
        }
    }

    private static HttpResponse<String> put(TestGateway gateway, String user, String path, String body)
            throws Exception {
        return gateway.client()
                .send(
                        gateway.request(user, path)
                                .PUT(HttpRequest.BodyPublishers.ofString(body))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }

    private static JsonNode json(HttpResponse<String> response, int status) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        return JsonMapper.shared().readTree(response.body());
    }
}
