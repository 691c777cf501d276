package dev.weir.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.auth.Identity;
import dev.weir.auth.Role;
import dev.weir.gateway.query.Front;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import dev.weir.gateway.query.QueryRequest;
import dev.weir.gateway.query.QueryState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.util.unit.DataSize;
import tools.jackson.databind.JsonNode;

/** Stored results take bounded room, for a bounded time. */
class StoredResultsTest extends AsyncSupport {

    @Test
    void ofQueriesThatFailedOnlyTheNewestAreKept() {
        Spool spool = new Spool(
                new HttpFrontSettings(
                        DataSize.ofMegabytes(1),
                        server.results,
                        Duration.ofHours(1),
                        DataSize.ofMegabytes(1),
                        DataSize.ofMegabytes(1),
                        32,
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
                32,
                Duration.ofMinutes(1));
        new HttpFront(server.queries, server.drains, settings, () -> server.now.get()).close();
        assertThat(leftover).doesNotExist();
        assertThat(other).exists();
        Files.delete(other);
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
