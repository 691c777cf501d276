package dev.weir.gateway.cli.query;

import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** One query over HTTP. The client holds no result: its body is a stream with HTTP's own back-pressure. */
public final class GatewayClient implements QueryClient {

    private static final Duration CONTROL_TIMEOUT = Duration.ofSeconds(3);
    private static final String QUERY_ID = "X-Weir-Query-Id";

    private final HttpClient http;
    private final Target target;
    private final String authorization;
    private final JsonMapper json = new JsonMapper();
    private volatile @Nullable String queryId;

    public GatewayClient(Target target, String user, String password, SSLContext tls) {
        this.target = target;
        this.authorization =
                "Basic " + Base64.getEncoder().encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
        this.http = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(Unreachable.CONNECT_TIMEOUT)
                .sslContext(tls)
                .build();
    }

    /** The id of the query, once the gateway told it; null before. */
    public @Nullable String queryId() {
        return queryId;
    }

    @Override
    public InputStream run(Query query) throws QueryFailure, InterruptedException {
        ObjectNode body = json.createObjectNode().put("sql", query.sql());
        if (!query.parameters().isEmpty()) {
            body.putArray("parameters").addAll(query.parameters());
        }
        if (query.timeout() != null) {
            body.put("timeout", query.timeout().toMillis() + "ms");
        }
        HttpRequest request = request("/v1/queries")
                .header("Content-Type", "application/json")
                .header("Accept", query.accept() + ", application/problem+json")
                .POST(BodyPublishers.ofByteArray(json.writeValueAsBytes(body)))
                .build();
        HttpResponse<InputStream> response = send(request);
        if (response.statusCode() != 200) {
            throw Problem.read(response, json).toFailure(query.sql());
        }
        return response.body();
    }

    /**
     * A call about the gateway itself, without a body.
     *
     * @return the JSON that it answers
     * @throws QueryFailure when the gateway refuses or cannot be reached
     */
    public JsonNode control(String method, String path) throws QueryFailure, InterruptedException {
        HttpResponse<InputStream> response = send(request(path)
                .timeout(Unreachable.CONNECT_TIMEOUT)
                .header("Accept", "application/json, application/problem+json")
                .method(method, BodyPublishers.noBody())
                .build());
        if (response.statusCode() != 200) {
            throw Problem.read(response, json).toFailure("");
        }
        try (InputStream body = response.body()) {
            return json.readTree(body);
        } catch (IOException | JacksonException e) {
            throw new QueryFailure("the answer to " + method + " " + path + " is no JSON", e);
        }
    }

    private HttpResponse<InputStream> send(HttpRequest request) throws QueryFailure, InterruptedException {
        try {
            return http.send(request, info -> {
                info.headers().firstValue(QUERY_ID).ifPresent(id -> queryId = id);
                return BodyHandlers.ofInputStream().apply(info);
            });
        } catch (IOException e) {
            throw new QueryFailure(Unreachable.text(target, e), e);
        }
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(target.resolve(path))
                .header("Authorization", authorization)
                .header("User-Agent", "weir-query");
    }

    @Override
    public @Nullable String reasonOfFailure() throws InterruptedException {
        String id = queryId;
        if (id == null) {
            return null;
        }
        try {
            HttpResponse<byte[]> response = http.send(
                    request("/v1/queries/" + id).timeout(CONTROL_TIMEOUT).GET().build(), BodyHandlers.ofByteArray());
            return response.statusCode() == 200 ? Problem.ofStatus(json.readTree(response.body())) : null;
        } catch (IOException | RuntimeException e) {
            return null;
        }
    }

    @Override
    public void cancel() {
        String id = queryId;
        if (id == null) {
            return;
        }
        try {
            HttpRequest request = request("/v1/queries/" + id)
                    .timeout(CONTROL_TIMEOUT)
                    .DELETE()
                    .build();
            http.sendAsync(request, BodyHandlers.discarding()).join();
        } catch (RuntimeException e) {
            // The end of this process closes the connection, which cancels the query as well.
        }
    }
}
