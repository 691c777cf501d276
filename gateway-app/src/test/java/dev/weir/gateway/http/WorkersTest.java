package dev.weir.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.admission.AdmissionLimits;
import dev.weir.admission.AdmissionSnapshot;
import dev.weir.engine.EngineCapacity;
import dev.weir.engine.EngineNode;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class WorkersTest {

    private final FrontServer server = new FrontServer();
    private final FakeAdmissionView admission = server.queries.admission();

    @AfterEach
    void close() {
        server.close();
    }

    private JsonNode get(String path, int status) {
        HttpResponse<byte[]> response = server.send(server.request(path));
        String body = new String(response.body(), StandardCharsets.UTF_8);
        assertThat(response.statusCode()).as(body).isEqualTo(status);
        return JsonMapper.shared().readTree(body);
    }

    @Test
    void workersAreListedWithTheirStateAndWhatRunsThere() {
        admission.workers = List.of(
                new EngineNode(
                        "a",
                        "10.0.0.1:31338",
                        EngineNode.State.HEALTHY,
                        Instant.EPOCH,
                        16,
                        3,
                        1000,
                        200,
                        "engine",
                        null),
                new EngineNode(
                        "b",
                        "10.0.0.2:31338",
                        EngineNode.State.DOWN,
                        Instant.EPOCH,
                        16,
                        0,
                        1000,
                        0,
                        "none",
                        "no answer"));
        JsonNode workers = get("/v1/workers", 200).get("workers");
        assertThat(workers).hasSize(2);
        assertThat(workers.get(0).toString())
                .isEqualTo("{\"name\":\"a\",\"address\":\"10.0.0.1:31338\",\"state\":\"HEALTHY\","
                        + "\"since\":\"1970-01-01T00:00:00Z\",\"slots\":16,\"running\":3,\"memoryBytes\":1000,"
                        + "\"reservedBytes\":200,\"limit\":\"engine\"}");
        assertThat(workers.get(1).get("reason").stringValue()).isEqualTo("no answer");
    }

    @Test
    void workersAreForAdministrators() {
        admission.refusal = new GatewayException(GatewayErrorCode.FORBIDDEN, "The workers need the role admin.");
        assertThat(get("/v1/workers", 403).get("code").stringValue()).isEqualTo("FORBIDDEN");
    }

    @Test
    void theStateOfAdmissionShowsTheCapacityWhereThereIsOne() {
        admission.snapshot = new AdmissionSnapshot(
                AdmissionLimits.flat(4, 10, Duration.ofSeconds(1), 1000, 100, 500, 2, 3),
                0,
                0,
                0,
                0,
                0,
                List.of(),
                List.of(),
                Map.of(),
                false,
                false);
        assertThat(get("/v1/admission", 200).has("capacity")).isFalse();
        admission.capacity = new EngineCapacity(16, 2000);
        assertThat(get("/v1/admission", 200).get("capacity").toString())
                .isEqualTo("{\"slots\":16,\"memoryBytes\":2000}");
    }
}
