package dev.weir.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** GET /v1/queries. */
class QueryListTest {

    private final FrontServer server = new FrontServer();

    @AfterEach
    void stop() {
        server.close();
    }

    private void submit(int count) {
        server.queries.answer(r -> CompletableFuture.completedFuture(FakeResult.numbers(server.allocator, 1, 1)));
        for (int i = 0; i < count; i++) {
            server.post("select 1", "text/csv");
        }
    }

    private JsonNode list(String query, String user) {
        HttpResponse<byte[]> response = server.send(
                HttpRequest.newBuilder(server.uri("/v1/queries" + query)).header("X-User", user));
        assertThat(response.statusCode()).isEqualTo(200);
        return new JsonMapper().readTree(response.body());
    }

    private static List<String> ids(JsonNode page) {
        List<String> ids = new ArrayList<>();
        page.get("queries").forEach(q -> ids.add(q.get("queryId").stringValue()));
        return ids;
    }

    @Test
    void everybodySeesTheirOwnAndAdministratorsAll() {
        submit(2);
        assertThat(ids(list("", "ada"))).containsExactly("q2", "q1");
        assertThat(ids(list("", "bob"))).isEmpty();
        assertThat(ids(list("", "root"))).containsExactly("q2", "q1");
    }

    @Test
    void pagesNeitherRepeatNorSkipWhileQueriesComeIn() {
        submit(7);
        List<String> seen = new ArrayList<>();
        JsonNode page = list("?limit=3", "ada");
        while (true) {
            seen.addAll(ids(page));
            submit(1);
            if (!page.has("nextCursor")) {
                break;
            }
            page = list("?limit=3&cursor=" + page.get("nextCursor").stringValue(), "ada");
        }
        assertThat(seen).containsExactly("q7", "q6", "q5", "q4", "q3", "q2", "q1");
        assertThat(new HashSet<>(seen)).hasSize(7);
    }

    @Test
    void statesFilter() {
        submit(1);
        server.queries.answer(r -> new CompletableFuture<>());
        server.post("select 1", "*/*", "Prefer", "respond-async");
        assertThat(ids(list("?state=QUEUED", "ada"))).containsExactly("q2");
        assertThat(ids(list("?state=queued,finished", "ada"))).containsExactly("q2", "q1");
        assertThat(ids(list("?state=FAILED", "ada"))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "?limit=0",
                "?limit=1001",
                "?limit=x",
                "?state=WAT",
                "?cursor=!!!",
                "?cursor=eA",
                "?limit=1&limit=2",
                "?x=1"
            })
    void wrongParametersAreRefused(String query) {
        assertThat(server.send(server.request("/v1/queries" + query)).statusCode())
                .isEqualTo(400);
    }
}
