package dev.weir.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.weir.auth.tls.TlsMaterial;
import dev.weir.auth.tls.TlsSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Clock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HealthCommandTest {

    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    @TempDir
    Path directory;

    private final TestCli cli = new TestCli();

    @Test
    void aReadyOneAnswersWithZero() throws IOException {
        HttpServer server = answering(HttpServer.create(ANY, 0), 200);
        try {
            assertThat(cli.run("health", "--port", port(server))).isZero();
            assertThat(cli.err()).isEqualTo("ready\n");
        } finally {
            server.stop(0);
        }
    }

    @Test
    void oneThatIsNotReadyAnswersWithOne() throws IOException {
        HttpServer server = answering(HttpServer.create(ANY, 0), 503);
        try {
            cli.environment.put("WEIR_MANAGEMENT_PORT", port(server));
            assertThat(cli.run("health")).isEqualTo(1);
            assertThat(cli.err()).hasLineCount(1).contains("answers 503");
        } finally {
            server.stop(0);
        }
    }

    @Test
    void overTlsItIsTheSame() throws IOException {
        TlsSettings settings = new TlsSettings(directory, null, null, null);
        HttpsServer server = HttpsServer.create(ANY, 0);
        try (TlsMaterial tls = TlsMaterial.open(settings, Clock.systemUTC())) {
            server.setHttpsConfigurator(new HttpsConfigurator(tls.sslContext()));
            answering(server, 200);
            assertThat(cli.run("health", "--port", port(server))).isZero();
        } finally {
            server.stop(0);
        }
    }

    @Test
    void whereNobodyListensItIsNotReady() throws IOException {
        int free;
        try (ServerSocket socket = new ServerSocket(0)) {
            free = socket.getLocalPort();
        }
        assertThat(cli.run("health", "--port", Integer.toString(free))).isEqualTo(1);
        assertThat(cli.err()).hasLineCount(1).contains("nothing answers");
    }

    private static HttpServer answering(HttpServer server, int status) {
        server.createContext("/", exchange -> {
            boolean right = exchange.getRequestURI().getPath().equals("/actuator/health/readiness");
            exchange.sendResponseHeaders(right ? status : 404, -1);
            exchange.close();
        });
        server.start();
        return server;
    }

    private static String port(HttpServer server) {
        return Integer.toString(server.getAddress().getPort());
    }
}
