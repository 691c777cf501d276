package dev.weir.clients;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/** A started gateway: its own process, data directory and ports; TLS by its self-signed certificate. */
final class Gateway implements AutoCloseable {

    static final String ADMIN = "admin";
    static final String WRITER = "wendy";
    static final String READER = "rita";
    static final String PASSWORD = "test-password-1";

    private static final Duration START_TIMEOUT = Duration.ofSeconds(180);

    private static Path users;

    private final Path directory;
    private final int httpPort;
    private final int flightPort;
    private final int managementPort;
    private final Process process;

    private Gateway(Path directory, int httpPort, int flightPort, int managementPort, Process process) {
        this.directory = directory;
        this.httpPort = httpPort;
        this.flightPort = flightPort;
        this.managementPort = managementPort;
        this.process = process;
    }

    /** One that was started elsewhere, to be asked over Flight SQL only. */
    static Gateway running(Path directory, int flightPort) {
        return new Gateway(directory, 0, flightPort, 0, null);
    }

    /** One for all test classes; ends with the test run. */
    static Gateway shared() {
        return Shared.GATEWAY;
    }

    /** The shared one knows its bearer as {@link #WRITER}. */
    static ClientCertificate certificateOfWriter() {
        return Shared.CERTIFICATE;
    }

    private static final class Shared {

        static final ClientCertificate CERTIFICATE;
        static final Gateway GATEWAY;

        static {
            try {
                Files.createDirectories(Launcher.TARGET);
                CERTIFICATE =
                        ClientCertificate.make(Files.createTempDirectory(Launcher.TARGET, "certificate-"), WRITER);
                GATEWAY = start("--weir.tls.client-ca=" + CERTIFICATE.certificate());
                Runtime.getRuntime().addShutdownHook(new Thread(GATEWAY::close));
            } catch (IOException | InterruptedException | SQLException | GeneralSecurityException e) {
                throw new IllegalStateException("the gateway did not start", e);
            }
        }
    }

    /** Starts one with the tests' data, three users and further properties. */
    static Gateway start(String... properties) throws IOException, InterruptedException, SQLException {
        Files.createDirectories(Launcher.TARGET);
        Path directory = Files.createTempDirectory(Launcher.TARGET, "gateway-");
        Path data = Files.createDirectory(directory.resolve("data"));
        Database.create(data.resolve("demo.duckdb"));
        Files.copy(data.resolve("demo.duckdb"), directory.resolve("copy.duckdb"));
        Files.copy(users(), data.resolve("users.yaml"), StandardCopyOption.COPY_ATTRIBUTES);

        List<Integer> ports = freePorts(3);
        List<String> arguments = new ArrayList<>(List.of(
                "serve",
                "--demo",
                "--weir.data-dir=" + data,
                "--weir.http.port=" + ports.get(0),
                "--weir.flight.port=" + ports.get(1),
                "--weir.management.port=" + ports.get(2)));
        arguments.addAll(List.of(properties));
        Process process = Launcher.builder(Map.of(), arguments)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("log").toFile())
                .start();
        Gateway gateway = new Gateway(directory, ports.get(0), ports.get(1), ports.get(2), process);
        try {
            gateway.awaitReady();
        } catch (RuntimeException | Error e) {
            gateway.process.destroyForcibly();
            throw e;
        }
        return gateway;
    }

    /** The file with the three users, made once for each test run. */
    private static synchronized Path users() throws IOException, InterruptedException {
        Path made = users;
        if (made == null) {
            Path directory = Files.createTempDirectory(Launcher.TARGET, "users-");
            addUser(directory, ADMIN, "admin");
            addUser(directory, WRITER, "writer");
            addUser(directory, READER, "reader");
            made = directory.resolve("users.yaml");
            users = made;
        }
        return made;
    }

    /** Beside a running gateway, too, which knows the user within seconds. */
    static void addUser(Path data, String name, String role) throws IOException, InterruptedException {
        Launcher.runOk(
                Map.of("WEIR_USER_PASSWORD", PASSWORD),
                "user",
                "add",
                name,
                "--role",
                role,
                "--data-dir",
                data.toString());
    }

    static List<Integer> freePorts(int count) throws IOException {
        List<ServerSocket> sockets = new ArrayList<>();
        try {
            List<Integer> ports = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName("0.0.0.0"));
                sockets.add(socket);
                ports.add(socket.getLocalPort());
            }
            return ports;
        } finally {
            for (ServerSocket socket : sockets) {
                socket.close();
            }
        }
    }

    private void awaitReady() {
        HttpClient client = HttpClient.newHttpClient();
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + managementPort + "/actuator/health/readiness"))
                .timeout(Duration.ofSeconds(5))
                .build();
        Awaitility.await("the gateway is ready")
                .atMost(START_TIMEOUT)
                .pollInterval(Duration.ofMillis(200))
                .ignoreExceptionsMatching(IOException.class::isInstance)
                .untilAsserted(() -> {
                    if (!process.isAlive()) {
                        throw new IllegalStateException("the gateway ended: " + log());
                    }
                    assertThat(client.send(request, BodyHandlers.discarding()).statusCode())
                            .as(this::log)
                            .isEqualTo(200);
                });
    }

    String log() {
        try {
            return Files.readString(directory.resolve("log"));
        } catch (IOException e) {
            return e.toString();
        }
    }

    Path certificate() {
        return directory.resolve("data/tls/cert.pem");
    }

    Path directory() {
        return directory;
    }

    Path dataDirectory() {
        return directory.resolve("data");
    }

    /** A copy of the served file, as it was before the start. */
    Path copyOfDatabase() {
        return directory.resolve("copy.duckdb");
    }

    int httpPort() {
        return httpPort;
    }

    int flightPort() {
        return flightPort;
    }

    Process process() {
        return process;
    }

    URI http(String path) {
        return URI.create("https://localhost:" + httpPort + path);
    }

    /** Tells it to end and waits; a gateway that does not end fails the run. */
    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IllegalStateException("the gateway did not end: " + log());
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        deleteTree(directory.resolve("data"));
        deleteTree(directory.resolve("copy.duckdb"));
    }

    private static void deleteTree(Path root) {
        try (Stream<Path> tree = Files.walk(root)) {
            for (Path entry : tree.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(entry);
            }
        } catch (IOException e) {
            System.err.println("left behind: " + root);
        }
    }
}
