package dev.weir.clients;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;

/** A started worker: its own process, data directory and ports. */
final class Worker implements AutoCloseable {

    private static final Duration START_TIMEOUT = Duration.ofSeconds(180);
    private static final Pattern RUNNING = Pattern.compile("(?m)^weir_served_running(?:\\{[^}]*})? (\\S+)$");

    private final Path directory;
    private final int port;
    private final int managementPort;
    private final Process process;
    private final HttpClient client = HttpClient.newHttpClient();

    private Worker(Path directory, int port, int managementPort, Process process) {
        this.directory = directory;
        this.port = port;
        this.managementPort = managementPort;
        this.process = process;
    }

    /** Starts one that has no database, with the cluster's secret, and waits until it is ready. */
    static Worker start(Path directory, Path secret) throws IOException {
        Files.createDirectories(directory);
        List<Integer> ports = Gateway.freePorts(2);
        Process process = Launcher.builder(
                        Map.of(),
                        List.of(
                                "worker",
                                "--weir.cluster.secret-file=" + secret,
                                "--weir.data-dir=" + directory,
                                "--weir.worker.port=" + ports.get(0),
                                "--weir.worker.memory=1GB",
                                "--weir.management.port=" + ports.get(1)))
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("log").toFile())
                .start();
        Worker worker = new Worker(directory, ports.get(0), ports.get(1), process);
        try {
            Awaitility.await("the worker is ready")
                    .atMost(START_TIMEOUT)
                    .ignoreExceptionsMatching(IOException.class::isInstance)
                    .until(() -> worker.get("/actuator/health/readiness").contains("UP"));
        } catch (RuntimeException | Error e) {
            process.destroyForcibly();
            throw e;
        }
        return worker;
    }

    private String get(String path) throws IOException, InterruptedException {
        if (!process.isAlive()) {
            throw new IllegalStateException("the worker ended: " + Files.readString(directory.resolve("log")));
        }
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + managementPort + path))
                .timeout(Duration.ofSeconds(5))
                .build();
        return client.send(request, BodyHandlers.ofString()).body();
    }

    /** Queries under way there, by its own meter. */
    int running() throws IOException, InterruptedException {
        String metrics = get("/actuator/prometheus");
        Matcher found = RUNNING.matcher(metrics);
        if (!found.find()) {
            throw new IllegalStateException("no weir_served_running in " + metrics);
        }
        return (int) Double.parseDouble(found.group(1));
    }

    int port() {
        return port;
    }

    String certificate() throws IOException {
        return Files.readString(directory.resolve("tls").resolve("cert.pem"));
    }

    @Override
    public void close() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }
}
