package dev.weir.gateway.system;

import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A worker in a process of its own, as {@code bin/weir worker} starts one. */
final class WorkerProcess implements AutoCloseable {

    private static final Pattern LISTENS = Pattern.compile("serves gateways at \\S+:(\\d+)\n");

    private final Process process;
    private final Path dataDir;
    private final Path output;
    private final int port;

    private WorkerProcess(Process process, Path dataDir, Path output) {
        this.process = process;
        this.dataDir = dataDir;
        this.output = output;
        this.port = awaitPort();
    }

    /** @param port 0 for any */
    static WorkerProcess start(Path secret, Path dataDir, Path database, int port) throws IOException {
        Files.createDirectories(dataDir);
        Path output = Files.createTempFile(dataDir, "output", ".txt");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--add-opens=java.base/java.nio=ALL-UNNAMED",
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.weir.gateway.cli.Main",
                "worker",
                "--weir.worker.port=" + port));
        command.addAll(TestWorker.arguments(secret, dataDir, database));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.to(new File(output.toString())))
                .start();
        return new WorkerProcess(process, dataDir, output);
    }

    private int awaitPort() {
        return await().atMost(Duration.ofSeconds(180)).until(this::announcedPort, found -> found > 0);
    }

    private int announcedPort() throws IOException {
        String text = Files.readString(output);
        if (!process.isAlive()) {
            throw new IllegalStateException("The worker ended: " + text);
        }
        Matcher found = LISTENS.matcher(text);
        return found.find() ? Integer.parseInt(found.group(1)) : 0;
    }

    int port() {
        return port;
    }

    String certificate() throws IOException {
        return Files.readString(dataDir.resolve("tls").resolve("cert.pem"));
    }

    /** SIGKILL. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor();
    }

    @Override
    public void close() throws InterruptedException {
        kill();
    }
}
