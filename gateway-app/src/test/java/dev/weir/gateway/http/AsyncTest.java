package dev.weir.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.gateway.query.ErrorDetails;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import dev.weir.gateway.query.QueryState;
import dev.weir.gateway.query.ResultStream;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Queries whose result is stored: their life and end, and who may see them. */
class AsyncTest extends AsyncSupport {

    @Test
    void aWaitingQueryIsAcceptedWithItsPlaceAndResultLater() {
        CompletableFuture<ResultStream> later = new CompletableFuture<>();
        server.queries.answer(r -> later);
        HttpResponse<byte[]> response = server.post("select 1", "*/*", "Prefer", "respond-async");

        assertThat(response.statusCode()).isEqualTo(202);
        assertThat(response.headers().firstValue("Location")).hasValue("/v1/queries/q1");
        assertThat(response.headers().firstValue("Preference-Applied")).hasValue("respond-async");
        assertThat(response.headers().firstValue("X-Weir-Query-Id")).hasValue("q1");
        JsonNode status = json(response);
        assertThat(status.get("state").stringValue()).isEqualTo("QUEUED");
        assertThat(status.get("position").intValue()).isEqualTo(3);
        assertThat(status.get("waitReason").stringValue()).isEqualTo("max-running");
        assertThat(status.get("limit").toString())
                .isEqualTo("{\"scope\":\"global\",\"name\":\"max-running\",\"value\":\"4\"}");
        assertThat(status.get("group").stringValue()).isEqualTo("default");
        assertThat(status.get("predictedWaitMs").intValue()).isEqualTo(1500);
        assertThat(status.get("result").toString())
                .isEqualTo("{\"state\":\"PENDING\",\"url\":\"/v1/queries/q1/result\"}");
        HttpResponse<byte[]> early = get("/v1/queries/q1/result");
        assertThat(early.statusCode()).isEqualTo(409);
        assertThat(json(early).get("code").stringValue()).isEqualTo("CONFLICT");
        assertThat(json(early).get("position").intValue()).isEqualTo(3);
        assertThat(json(early).get("retryable").booleanValue()).isTrue();

        later.complete(FakeResult.numbers(server.allocator, 2, 2));
        await().until(() -> get("/v1/queries/q1/result").statusCode() == 200);
    }

    @Test
    void theStatusOfAFailedQueryHasTheEnginesStateAndPlace() {
        server.queries.fail(new GatewayException(
                GatewayErrorCode.INVALID_SQL,
                "no such table",
                new ErrorDetails(null, "42P01", 14, null, null, null, null, null, null)));
        assertThat(server.post("select * from nowhere", "*/*", "Prefer", "respond-async")
                        .statusCode())
                .isEqualTo(202);
        await().until(() -> server.queries.last().state == QueryState.FAILED);
        JsonNode error = json(get("/v1/queries/q1")).get("error");
        assertThat(error.get("sqlState").stringValue()).isEqualTo("42P01");
        assertThat(error.get("sqlPosition").intValue()).isEqualTo(14);
        assertThat(error.get("queryId").stringValue()).isEqualTo("q1");
    }

    @Test
    void aStoredResultCanBeReadInEveryFormatAnyNumberOfTimes() {
        String query = complete(FakeResult.numbers(server.allocator, 3, 2));
        assertThat(server.queries.last().result.closed).isTrue();
        for (int i = 0; i < 2; i++) {
            assertThat(text(get(query + "/result", "Accept", "text/csv")))
                    .isEqualTo("n\r\n0\r\n1\r\n2\r\n3\r\n4\r\n5\r\n");
            assertThat(text(get(query + "/result", "Accept", "application/x-ndjson")))
                    .startsWith("{\"n\":0}\n");
            assertThat(text(get(query + "/result")))
                    .contains("\"data\":[[0],[1],[2],[3],[4],[5]],\"rowCount\":6,\"truncated\":false");
            HttpResponse<byte[]> arrow = get(query + "/result", "Accept", "application/vnd.apache.arrow.stream");
            assertThat(arrow.headers().firstValue("X-Weir-Query-Id")).hasValue("q1");
            assertThat(arrow.body()).endsWith(-1, -1, -1, -1, 0, 0, 0, 0);
        }
        assertThat(get(query + "/result", "Accept", "text/html").statusCode()).isEqualTo(406);
        HttpResponse<byte[]> head =
                server.send(server.request(query + "/result").method("HEAD", HttpRequest.BodyPublishers.noBody()));
        assertThat(head.statusCode()).isEqualTo(200);
        JsonNode status = json(get(query));
        assertThat(status.get("state").stringValue()).isEqualTo("FINISHED");
        assertThat(status.get("overran").booleanValue()).isTrue();
        assertThat(status.get("pauses").intValue()).isEqualTo(2);
        assertThat(status.get("pausedMs").intValue()).isEqualTo(2500);
        assertThat(status.get("result").get("expires").stringValue()).isEqualTo("2026-01-01T01:00:00Z");
    }

    @Test
    void countsAndRowLimitsAreStoredToo() {
        String update = complete(FakeResult.update(server.allocator, OptionalLong.of(3)));
        assertThat(text(get(update + "/result"))).isEqualTo("{\"queryId\":\"q1\",\"updateCount\":3}\n");
        server.queries.answer(FakeResult.numbers(server.allocator, 3, 2));
        HttpResponse<byte[]> response = server.post("select 1", "*/*", "X-Weir-Wait", "0", "X-Weir-Row-Limit", "3");
        String limited = response.headers().firstValue("Location").orElseThrow();
        assertThat(response.headers().firstValue("Preference-Applied")).isEmpty();
        await().until(() -> get(limited + "/result").statusCode() == 200);
        assertThat(text(get(limited + "/result"))).contains("[[0],[1],[2]],\"rowCount\":3,\"truncated\":true");
    }

    @Test
    void aQueryThatIsFastEnoughIsAnsweredAtOnce() {
        server.queries.answer(FakeResult.numbers(server.allocator, 1, 1));
        assertThat(server.post("select 1", "text/csv", "Prefer", "wait=20").statusCode())
                .isEqualTo(200);
        assertThat(files()).isEmpty();
    }

    @Test
    void aQueryThatIsTooSlowForItsClientTurnsAsynchronous() {
        CompletableFuture<ResultStream> later = new CompletableFuture<>();
        server.queries.answer(r -> later);
        HttpResponse<byte[]> response = server.post("select 1", "text/csv", "X-Weir-Wait", "50ms");
        assertThat(response.statusCode()).isEqualTo(202);
        later.complete(FakeResult.numbers(server.allocator, 1, 1));
        await().until(() -> get("/v1/queries/q1/result", "Accept", "text/csv").statusCode() == 200);
        assertThat(server.queries.last().cancelled).isNotDone();
    }

    @Test
    void aFailedQueryTellsItsErrorAsResult() {
        server.queries.fail(new GatewayException(GatewayErrorCode.INVALID_SQL, "syntax error"));
        String query = submit();
        await().until(() -> get(query + "/result").statusCode() == 400);
        assertThat(json(get(query)).get("error").get("code").stringValue()).isEqualTo("INVALID_SQL");
    }

    @Test
    void aFailureInTheMiddleLeavesNothing() {
        server.queries.answer(FakeResult.numbers(
                server.allocator,
                2,
                1000,
                new GatewayException(GatewayErrorCode.EXECUTION_FAILED, "division by zero")));
        String query = submit();
        await().until(() -> get(query + "/result").statusCode() == 422);
        assertThat(files()).isEmpty();
        assertThat(resultOf(query).get("state").stringValue()).isEqualTo("FAILED");
    }

    @Test
    void deletingCancelsARunningQueryAndIsIdempotent() {
        FakeResult endless = new FakeResult(
                org.apache.arrow.vector.VectorSchemaRoot.of(
                        new org.apache.arrow.vector.BigIntVector("n", server.allocator)),
                (root, index) -> {
                    server.queries.last().result.aborted.get();
                    return true;
                });
        server.queries.answer(endless);
        String query = submit();
        await().until(() -> endless.pulls.get() > 0);

        assertThat(delete(query).statusCode()).isEqualTo(200);

        await().until(() -> get(query + "/result").statusCode() == 499);
        assertThat(delete(query).statusCode()).isEqualTo(200);
        assertThat(json(get(query)).get("cancelReason").stringValue()).isEqualTo("client_cancel");
        assertThat(files()).isEmpty();
    }

    @Test
    void deletingADoneQueryDeletesItsResult() {
        String query = complete(FakeResult.numbers(server.allocator, 1, 1));
        assertThat(delete(query).statusCode()).isEqualTo(200);
        assertThat(get(query + "/result").statusCode()).isEqualTo(410);
        assertThat(json(get(query + "/result")).get("code").stringValue()).isEqualTo("NOT_FOUND");
        assertThat(resultOf(query).get("state").stringValue()).isEqualTo("GONE");
        await().untilAsserted(() -> assertThat(files()).isEmpty());
        assertThat(delete(query).statusCode()).isEqualTo(200);
    }

    @Test
    void othersDoNotSeeAQueryAndAdministratorsDo() {
        String query = complete(FakeResult.numbers(server.allocator, 1, 1));
        for (String path : new String[] {query, query + "/result"}) {
            assertThat(server.send(HttpRequest.newBuilder(server.uri(path)).header("X-User", "bob"))
                            .statusCode())
                    .isEqualTo(404);
            assertThat(server.send(HttpRequest.newBuilder(server.uri(path)).header("X-User", "root"))
                            .statusCode())
                    .isEqualTo(200);
        }
        assertThat(server.send(HttpRequest.newBuilder(server.uri(query))
                                .header("X-User", "bob")
                                .DELETE())
                        .statusCode())
                .isEqualTo(404);
        assertThat(get(query + "/result").statusCode()).isEqualTo(200);
    }

    @Test
    void aQueryThatStreamsHasNoStoredResult() {
        server.queries.answer(FakeResult.numbers(server.allocator, 1, 1));
        server.post("select 1", "*/*");
        HttpResponse<byte[]> response = get("/v1/queries/q1/result");
        assertThat(response.statusCode()).isEqualTo(404);
        assertThat(text(response)).contains("respond-async");
    }
}
