package dev.weir.gateway.cli.query;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A gateway that answers as it is told to, on a loopback port, in plain HTTP. */
public final class FakeGateway implements AutoCloseable {

    /** A request as it came. */
    public record Received(String method, String path, Map<String, List<String>> headers, String body) {

        public String header(String name) {
            return String.join(",", headers.getOrDefault(name, List.of()));
        }
    }

    /** Gives an answer. */
    @FunctionalInterface
    public interface Answer {
        void give(HttpExchange exchange) throws IOException, InterruptedException;
    }

    public final List<Received> received = new CopyOnWriteArrayList<>();
    public volatile Answer query = exchange -> respond(exchange, 200, "application/json", "{}");
    public volatile Answer status = exchange -> respond(exchange, 404, "application/problem+json", "{}");
    public volatile Answer drain = exchange -> respond(exchange, 404, "application/problem+json", "{}");
    /** Open when the query was cancelled by DELETE. */
    public final CountDownLatch deleted = new CountDownLatch(1);

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();

    public FakeGateway() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/v1/queries", this::handle);
        server.createContext("/v1/drain", this::control);
        server.start();
    }

    public String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            received.add(new Received(
                    exchange.getRequestMethod(),
                    exchange.getRequestURI().getPath(),
                    exchange.getRequestHeaders(),
                    body));
            switch (exchange.getRequestMethod()) {
                case "POST" -> query.give(exchange);
                case "DELETE" -> {
                    deleted.countDown();
                    respond(exchange, 200, "application/json", "{}");
                }
                default -> status.give(exchange);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void control(HttpExchange exchange) throws IOException {
        try (exchange) {
            received.add(new Received(
                    exchange.getRequestMethod(), exchange.getRequestURI().getPath(), exchange.getRequestHeaders(), ""));
            drain.give(exchange);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Answers completely. */
    public static void respond(HttpExchange exchange, int status, String type, String body) {
        try {
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", type);
            exchange.getResponseHeaders().set("X-Weir-Query-Id", "q-1");
            exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
            if (bytes.length > 0) {
                exchange.getResponseBody().write(bytes);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Begins a result and gives the stream to go on with; leaving without closing it breaks the result off. */
    public static OutputStream begin(HttpExchange exchange, String type) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.getResponseHeaders().set("X-Weir-Query-Id", "q-1");
        exchange.sendResponseHeaders(200, 1 << 20);
        return exchange.getResponseBody();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
