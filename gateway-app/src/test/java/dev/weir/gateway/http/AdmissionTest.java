package dev.weir.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.admission.AdmissionLimits;
import dev.weir.admission.AdmissionSnapshot;
import dev.weir.admission.Explanation;
import dev.weir.admission.GroupLimits;
import dev.weir.admission.Priority;
import dev.weir.admission.QueryClass;
import dev.weir.admission.RateLimit;
import dev.weir.admission.RunTimeStats;
import dev.weir.admission.UserLimits;
import dev.weir.admission.WaitReason;
import dev.weir.gateway.query.ErrorDetails;
import dev.weir.gateway.query.Explained;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class AdmissionTest {

    private final FrontServer server = new FrontServer();
    private final FakeAdmissionView admission = server.queries.admission();

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void theStateHasCountsReasonsSharesAndLimits() {
        RateLimit rate = new RateLimit(5, Duration.ofSeconds(1), 9);
        GroupLimits group = new GroupLimits(
                4, 10, 2.5, Duration.ofSeconds(60), 1000, 100, 500, null, new UserLimits(2, 3, 1, rate));
        AdmissionLimits limits = new AdmissionLimits(
                4, 10, 8, Duration.ofMillis(250), 16, 1000, null, Map.of(AdmissionLimits.DEFAULT_GROUP, group));
        admission.snapshot = new AdmissionSnapshot(
                limits,
                5,
                2,
                3,
                1,
                900,
                List.of(new AdmissionSnapshot.Group("default", 5, 2, 3, 1, 900)),
                List.of(new AdmissionSnapshot.User("ada", "default", 5, 2, 3, 1, 900)),
                Map.of(WaitReason.USER_MAX_RUNNING, 2, WaitReason.MEMORY, 1),
                false,
                true);
        JsonNode state = json(get("/v1/admission"), 200);
        assertThat(state.get("running").intValue()).isEqualTo(5);
        assertThat(state.get("shortRunning").intValue()).isEqualTo(2);
        assertThat(state.get("paused").intValue()).isEqualTo(1);
        assertThat(state.get("reservedBytes").intValue()).isEqualTo(900);
        assertThat(state.get("held").booleanValue()).isFalse();
        assertThat(state.get("draining").booleanValue()).isTrue();
        assertThat(state.get("reasons").toString()).isEqualTo("{\"user-max-running\":2,\"memory\":1}");
        assertThat(state.get("users").get(0).get("group").stringValue()).isEqualTo("default");
        assertThat(state.get("limits").get("shortLane").intValue()).isEqualTo(8);
        assertThat(state.get("limits").at("/groups/default/user/rate/periodMs").intValue())
                .isEqualTo(1000);
    }

    @Test
    void aDrainIsBegunToldAndEndedByAnAdminOnly() {
        assertThat(send("ada", "POST", "/v1/drain").statusCode()).isEqualTo(403);
        assertThat(json(send("root", "GET", "/v1/drain"), 200).get("state").stringValue())
                .isEqualTo("SERVING");
        JsonNode drained = json(send("root", "POST", "/v1/drain"), 200);
        assertThat(drained.get("state").stringValue()).isEqualTo("DRAINED");
        assertThat(drained.get("graceLeftMs").intValue()).isEqualTo(30_000);
        assertThat(drained.get("queries").size()).isZero();
        assertThat(json(send("root", "DELETE", "/v1/drain"), 200).toString())
                .isEqualTo("{\"state\":\"SERVING\",\"queries\":[]}");
    }

    private HttpResponse<byte[]> send(String user, String method, String path) {
        return server.send(HttpRequest.newBuilder(server.uri(path))
                .header("X-User", user)
                .method(method, HttpRequest.BodyPublishers.noBody()));
    }

    @Test
    void theHistoryIsLimited() {
        Duration time = Duration.ofMillis(20);
        admission.history = List.of(new RunTimeStats(
                RunTimeStats.Scope.STATEMENT,
                "2a",
                4,
                time,
                time,
                time.multipliedBy(2),
                QueryClass.SHORT,
                OptionalLong.of(50),
                OptionalLong.of(75)));
        JsonNode line =
                json(get("/v1/admission/history?limit=7"), 200).get("history").get(0);
        assertThat(admission.most).isEqualTo(7);
        assertThat(line.toString())
                .isEqualTo("{\"scope\":\"statement\",\"key\":\"2a\",\"runs\":4,\"meanMs\":20.0,\"p50Ms\":20.0,"
                        + "\"p90Ms\":40.0,\"class\":\"short\",\"peakBytes\":50,\"learnedBytes\":75}");
        json(get("/v1/admission/history"), 200);
        assertThat(admission.most).isEqualTo(100);
        json(get("/v1/admission/history?limit=0"), 400);
    }

    @Test
    void anExplanationTakesTheBodyOfAQuery() {
        admission.explained = new Explained(
                Explanation.Decision.RUN_SHORT,
                "default",
                QueryClass.SHORT,
                null,
                77,
                true,
                null,
                null,
                null,
                null,
                null,
                null);
        JsonNode found = json(
                send(server.request("/v1/admission/explain")
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString("{\"sql\":\"select 1\",\"priority\":\"low\"}"))),
                200);
        assertThat(admission.request.sql()).isEqualTo("select 1");
        assertThat(admission.request.priority()).isEqualTo(Priority.LOW);
        assertThat(server.queries.executions).isEmpty();
        assertThat(found.toString())
                .isEqualTo(
                        "{\"decision\":\"run-short\",\"group\":\"default\",\"class\":\"short\",\"reservedBytes\":77,\"learnedReservation\":true}");
    }

    @Test
    void anExplainedRefusalCarriesItsProblem() {
        ErrorDetails.Limit limit = new ErrorDetails.Limit("user", "user.max-queued", "1");
        admission.explained = new Explained(
                Explanation.Decision.REFUSE,
                "default",
                QueryClass.UNKNOWN,
                null,
                77,
                false,
                null,
                null,
                null,
                limit,
                null,
                new GatewayException(
                        GatewayErrorCode.USER_LIMIT, "full", ErrorDetails.ofLimit("user", "user.max-queued", "1")));
        JsonNode found = json(
                send(server.request("/v1/admission/explain").POST(HttpRequest.BodyPublishers.ofString("select 1"))),
                200);
        assertThat(found.get("decision").stringValue()).isEqualTo("refuse");
        assertThat(found.at("/refusal/code").stringValue()).isEqualTo("USER_LIMIT");
        assertThat(found.at("/limit/name").stringValue()).isEqualTo("user.max-queued");
    }

    @Test
    void limitsAreReadAndChangedInTheShapeOfTheProperties() {
        assertThat(json(get("/v1/admission/limits"), 200).at("/memory/budget").stringValue())
                .isEqualTo("1GB");
        json(
                put("/v1/admission/limits?persist=true", "{\"memory\":{\"budget\":\"2GB\"},\"user\":{\"rate\":null}}"),
                200);
        assertThat(admission.persist).isTrue();
        assertThat(admission.changes.get("memory")).isEqualTo(Map.of("budget", "2GB"));
        assertThat(((Map<?, ?>) admission.changes.get("user")).containsKey("rate"))
                .isTrue();
        json(put("/v1/admission/limits", "{\"max-running\":3}"), 200);
        assertThat(admission.persist).isFalse();
    }

    @Test
    void badChangesAreRefusedBeforeTheyAreLookedAt() {
        for (String body : List.of("", "[]", "{\"a\":1", "{\"a\":1,\"a\":2}")) {
            assertThat(json(put("/v1/admission/limits", body), 400).get("code").stringValue())
                    .isEqualTo("INVALID_REQUEST");
        }
        json(put("/v1/admission/limits?persist=maybe", "{}"), 400);
        admission.refusal = new GatewayException(GatewayErrorCode.FORBIDDEN, "no");
        json(put("/v1/admission/limits", "{\"a\":1}"), 403);
        assertThat(admission.changes).isNull();
    }

    @Test
    void credentialsAndMethodsAreChecked() {
        assertThat(send(HttpRequest.newBuilder(server.uri("/v1/admission"))).statusCode())
                .isEqualTo(401);
        HttpResponse<byte[]> wrong = send(server.request("/v1/admission/limits").DELETE());
        assertThat(wrong.statusCode()).isEqualTo(405);
        assertThat(wrong.headers().firstValue("Allow")).hasValue("GET, HEAD, OPTIONS, PUT");
    }

    private HttpResponse<byte[]> get(String path) {
        return send(server.request(path));
    }

    private HttpResponse<byte[]> put(String path, String body) {
        return send(server.request(path).PUT(HttpRequest.BodyPublishers.ofString(body)));
    }

    private HttpResponse<byte[]> send(HttpRequest.Builder request) {
        return server.send(request);
    }

    private static JsonNode json(HttpResponse<byte[]> response, int status) {
        String body = new String(response.body(), StandardCharsets.UTF_8);
        assertThat(response.statusCode()).as(body).isEqualTo(status);
        return JsonMapper.shared().readTree(body);
    }
}
