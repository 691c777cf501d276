package dev.weir.gateway.system;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Takes traces over OTLP and keeps the messages as they came. */
final class TraceCollector implements AutoCloseable {

    private final List<String> messages = new CopyOnWriteArrayList<>();
    private final HttpServer server;

    TraceCollector() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/v1/traces", this::take);
        server.start();
    }

    private void take(HttpExchange exchange) throws IOException {
        try (exchange) {
            // One character for each byte.
            messages.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.ISO_8859_1));
            exchange.sendResponseHeaders(200, -1);
        }
    }

    String endpoint() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/v1/traces";
    }

    /** Everything that came, in which a trace's id is 16 bytes and names and attributes are text. */
    String received() {
        return String.join("\n", messages);
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
