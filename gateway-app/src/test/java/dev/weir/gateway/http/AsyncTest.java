package dev.weir.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.auth.Identity;
import dev.weir.auth.Role;
import dev.weir.gateway.query.ErrorDetails;
import dev.weir.gateway.query.Front;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import dev.weir.gateway.query.QueryRequest;
import dev.weir.gateway.query.QueryState;
import dev.weir.gateway.query.ResultStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.util.unit.DataSize;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Queries whose result is stored: their life, limits and end. */
class AsyncTest {

    private static final JsonMapper MAPPER = new JsonMapper();

    private FrontServer server;

    @BeforeEach
    void start() {
        server = new FrontServer(DataSize.ofMegabytes(1), DataSize.ofMegabytes(4), Duration.ofMinutes(1));
    }

    @AfterEach
    void everythingIsGivenBack() {
        await().until(() -> server.allocator.getAllocatedMemory() == 0);
        server.close();
        assertThat(files()).isEmpty();
    }

    private List<Path> files() {
        try (Stream<Path> files = Files.list(server.results)) {
            return files.toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private HttpResponse<byte[]> get(String path, String... headers) {
        HttpRequest.Builder request = server.request(path);
        if (headers.length > 0) {
            request.headers(headers);
        }
        return server.send(request);
    }

    private HttpResponse<byte[]> delete(String path) {
        return server.send(server.request(path).DELETE());
    }

    private static String text(HttpResponse<byte[]> response) {
        return new String(response.body(), StandardCharsets.UTF_8);
    }

    private static JsonNode json(HttpResponse<byte[]> response) {
        return MAPPER.readTree(response.body());
    }

    /** Submits, and gives the address of the query. */
    private String submit() {
        HttpResponse<byte[]> response = server.post("select 1", "*/*", "Prefer", "respond-async");
        assertThat(response.statusCode()).as(text(response)).isEqualTo(202);
        return response.headers().firstValue("Location").orElseThrow();
    }

    private String complete(FakeResult result) {
        server.queries.answer(result);
        String query = submit();
        await().until(() -> get(query + "/result").statusCode() == 200);
        return query;
    }

    private JsonNode resultOf(String query) {
        return json(get(query)).get("result");
    }

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
    void ofQueriesThatFailedOnlyTheNewestAreKept() {
        Spool spool = new Spool(
                new HttpFrontSettings(
                        DataSize.ofMegabytes(1),
                        server.results,
                        Duration.ofHours(1),
                        DataSize.ofMegabytes(1),
                        DataSize.ofMegabytes(1),
                        Duration.ofMinutes(1)),
                () -> Long.MAX_VALUE);
        try (AsyncQueries queries =
                new AsyncQueries(spool, Duration.ofHours(1), () -> server.now.get(), Runnable::run)) {
            Identity ada = new Identity("ada", List.of(), Role.READER);
            CompletableFuture<LoadedResult> failed =
                    CompletableFuture.failedFuture(new GatewayException(GatewayErrorCode.INVALID_SQL, "syntax error"));
            String first = null;
            String last = null;
            for (int i = 0; i <= 10_000; i++) {
                last = queries.adopt(ada, server.queries.submit(ada, QueryRequest.of(Front.HTTP, "x")), failed, 1)
                        .id();
                first = first == null ? last : first;
            }
            assertThat(queries.find(ada, first)).isEmpty();
            assertThat(queries.find(ada, last)).isPresent();
        }
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
    void aResultIsGoneWhenItsTimeIsOverAndForgottenLater() {
        String query = complete(FakeResult.numbers(server.allocator, 1, 1));
        server.now.set(server.now.get().plus(Duration.ofMinutes(59)));
        server.front.sweep();
        assertThat(get(query + "/result").statusCode()).isEqualTo(200);
        server.now.set(server.now.get().plus(Duration.ofMinutes(1)));
        assertThat(get(query + "/result").statusCode()).isEqualTo(410);
        await().untilAsserted(() -> assertThat(files()).isEmpty());
        server.now.set(server.now.get().plus(Duration.ofHours(1)));
        server.front.sweep();
        assertThat(get(query + "/result").statusCode()).isEqualTo(404);
    }

    @Test
    void theSweepDeletesWhatNobodyAsksFor() {
        complete(FakeResult.numbers(server.allocator, 1, 1));
        assertThat(files()).hasSize(1);
        server.now.set(server.now.get().plus(Duration.ofHours(1)));
        server.front.sweep();
        await().untilAsserted(() -> assertThat(files()).isEmpty());
    }

    @Test
    void aUsersShareIsLimitedAndGivenBack() {
        // 8 bytes a row: 4 MB hold one of these, not two.
        String first = complete(FakeResult.numbers(server.allocator, 10, 32_768));
        server.queries.answer(r -> CompletableFuture.completedFuture(FakeResult.numbers(server.allocator, 10, 32_768)));
        String second = submit();
        await().until(() -> get(second + "/result").statusCode() == 413);
        JsonNode problem = json(get(second + "/result"));
        assertThat(problem.get("limit").toString())
                .isEqualTo("{\"scope\":\"user\",\"name\":\"results.max-bytes-per-user\",\"value\":\"4MB\"}");
        assertThat(json(get(second)).get("state").stringValue()).isEqualTo("FAILED");
        assertThat(json(get(second)).get("error").get("code").stringValue()).isEqualTo("TOO_LARGE");
        assertThat(files()).hasSize(1);

        delete(first);
        await().untilAsserted(() -> assertThat(files()).isEmpty());
        String third = submit();
        await().until(() -> get(third + "/result").statusCode() == 200);
    }

    @Test
    void manySmallResultsCountToo() {
        server.queries.answer(r -> CompletableFuture.completedFuture(FakeResult.numbers(server.allocator, 1, 1)));
        List<String> queries = new ArrayList<>();
        for (int i = 0; i < 65; i++) {
            queries.add(submit());
        }
        // Several threads store results: which of them comes last is not said.
        await().until(() ->
                queries.stream().anyMatch(query -> get(query + "/result").statusCode() == 413));
    }

    @Test
    void aDiskThatIsTooFullFailsTheQueryAndLeavesNothing() {
        // Room for the file to be made, but not for a batch of 256 KB.
        server.freeDisk.set(DataSize.ofMegabytes(100).toBytes() + 100_000);
        server.queries.answer(FakeResult.numbers(server.allocator, 10, 32_768));
        String query = submit();
        await().until(() -> get(query + "/result").statusCode() == 413);
        assertThat(text(get(query + "/result"))).contains("results.min-free-disk", "\"scope\":\"global\"");
        assertThat(files()).isEmpty();
        await().until(() -> server.queries.last().state == QueryState.FAILED);
    }

    @Test
    void theDirectoryIsPrivateAndLeftoversGoAtTheStart() throws Exception {
        assertThat(Files.getPosixFilePermissions(server.results))
                .isEqualTo(PosixFilePermissions.fromString("rwx------"));
        Path leftover = Files.createFile(server.results.resolve("left.arrows"));
        Path other = Files.createFile(server.results.resolve("other.txt"));
        HttpFrontSettings settings = new HttpFrontSettings(
                DataSize.ofMegabytes(1),
                server.results,
                Duration.ofHours(1),
                DataSize.ofMegabytes(1),
                DataSize.ofMegabytes(1),
                Duration.ofMinutes(1));
        new HttpFront(server.queries, settings, () -> server.now.get()).close();
        assertThat(leftover).doesNotExist();
        assertThat(other).exists();
        Files.delete(other);
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

    @Test
    void aReaderOfAStoredResultThatStallsIsCutOff() throws Exception {
        server.close();
        server = new FrontServer(DataSize.ofMegabytes(1), DataSize.ofMegabytes(100), Duration.ofMillis(500));
        server.queries.answer(FakeResult.numbers(server.allocator, 200, 32_768));
        String query = submit();
        await().until(() -> resultOf(query).get("state").stringValue().equals("COMPLETE"));
        try (RawClient client = new RawClient(server.port())
                .send("GET " + query + "/result HTTP/1.1\r\nHost: x\r\nX-User: ada\r\nAccept: text/csv\r\n\r\n")) {
            client.head();
            // Nothing is read until the server has hung up, which a write notices.
            await().until(() -> {
                try {
                    client.send("x");
                    return false;
                } catch (IOException e) {
                    return true;
                }
            });
        }
    }
}
