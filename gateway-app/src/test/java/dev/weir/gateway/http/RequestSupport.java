package dev.weir.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.gateway.query.QueryRequest;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.util.unit.DataSize;

/** A front that takes statements and remembers how it read them. */
abstract class RequestSupport {

    static final int MAX_BODY = 64 << 10;

    static FrontServer server;

    @BeforeAll
    static void start() {
        server = new FrontServer(DataSize.ofBytes(MAX_BODY));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void answer() {
        server.queries.answer(r -> CompletableFuture.completedFuture(FakeResult.numbers(server.allocator, 1, 3)));
    }

    HttpResponse<byte[]> send(String contentType, byte[] body, String... headers) {
        HttpRequest.Builder request = server.request("/v1/queries").POST(HttpRequest.BodyPublishers.ofByteArray(body));
        if (contentType != null) {
            request.header("Content-Type", contentType);
        }
        if (headers.length > 0) {
            request.headers(headers);
        }
        return server.send(request);
    }

    HttpResponse<byte[]> json(String body, String... headers) {
        return send("application/json", body.getBytes(StandardCharsets.UTF_8), headers);
    }

    QueryRequest asked(HttpResponse<byte[]> response) {
        assertThat(response.statusCode()).as(text(response)).isEqualTo(200);
        return server.queries.last().request;
    }

    static String text(HttpResponse<byte[]> response) {
        return new String(response.body(), StandardCharsets.UTF_8);
    }

    void refused(HttpResponse<byte[]> response, String... parts) {
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(text(response))
                .contains("\"code\":\"INVALID_REQUEST\"", "\"started\":false")
                .contains(parts);
    }
}
