package dev.weir.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.util.unit.DataSize;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A front that stores results, and what a client does with them. */
abstract class AsyncSupport {

    private static final JsonMapper MAPPER = new JsonMapper();

    FrontServer server;

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

    List<Path> files() {
        try (Stream<Path> files = Files.list(server.results)) {
            return files.toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    HttpResponse<byte[]> get(String path, String... headers) {
        HttpRequest.Builder request = server.request(path);
        if (headers.length > 0) {
            request.headers(headers);
        }
        return server.send(request);
    }

    HttpResponse<byte[]> delete(String path) {
        return server.send(server.request(path).DELETE());
    }

    static String text(HttpResponse<byte[]> response) {
        return new String(response.body(), StandardCharsets.UTF_8);
    }

    static JsonNode json(HttpResponse<byte[]> response) {
        return MAPPER.readTree(response.body());
    }

    /** Submits, and gives the address of the query. */
    String submit() {
        HttpResponse<byte[]> response = server.post("select 1", "*/*", "Prefer", "respond-async");
        assertThat(response.statusCode()).as(text(response)).isEqualTo(202);
        return response.headers().firstValue("Location").orElseThrow();
    }

    String complete(FakeResult result) {
        server.queries.answer(result);
        String query = submit();
        await().until(() -> get(query + "/result").statusCode() == 200);
        return query;
    }

    JsonNode resultOf(String query) {
        return json(get(query)).get("result");
    }
}
