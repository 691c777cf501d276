package dev.weir.bench;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A gateway in a process of its own that is started again whenever it ends, and the resident memory (VmRSS) of it and of the
 * processes below it, looked at ten times a second. Linux only.
 */
final class WatchedServer implements AutoCloseable {

    private static final long EVERY_MILLIS = 100;
    private static final Duration START_TIMEOUT = Duration.ofSeconds(90);

    /** Bytes; pages that processes share count in each of them. */
    private record Sample(long own, long below) {}

    private final List<String> command;
    private final Path log;
    private final HttpClient http = HttpClient.newHttpClient();
    private final HttpRequest ready;
    private final List<Sample> samples = new ArrayList<>();
    private final Thread watch = new Thread(this::watch, "watch");
    private final Thread hook = new Thread(this::kill);
    private volatile Process process;
    private volatile boolean up;
    private volatile boolean closed;
    private final AtomicInteger restarts = new AtomicInteger();

    private WatchedServer(int managementPort, List<String> command, Path log) throws IOException {
        this.command = command;
        this.log = log;
        this.ready = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + managementPort + "/actuator/health/readiness"))
                .timeout(Duration.ofSeconds(5))
                .build();
        this.process = launch();
    }

    /** Starts it and waits until it is ready. */
    static WatchedServer start(int managementPort, List<String> command, Path log)
            throws IOException, InterruptedException {
        WatchedServer server = new WatchedServer(managementPort, command, log);
        Runtime.getRuntime().addShutdownHook(server.hook);
        long end = System.nanoTime() + START_TIMEOUT.toNanos();
        while (!server.isReady()) {
            if (!server.process.isAlive() || System.nanoTime() > end) {
                server.kill();
                throw new IllegalStateException("The gateway does not start: " + Files.readString(log));
            }
            TimeUnit.MILLISECONDS.sleep(EVERY_MILLIS);
        }
        server.up = true;
        server.watch.start();
        return server;
    }

    private Process launch() throws IOException {
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
    }

    private boolean isReady() throws InterruptedException {
        try {
            return http.send(ready, BodyHandlers.discarding()).statusCode() == 200;
        } catch (IOException e) {
            return false;
        }
    }

    private void watch() {
        try {
            while (!closed) {
                take();
                if (!process.isAlive()) {
                    up = false;
                    restarts.incrementAndGet();
                    process = launch();
                }
                // Asked only while it starts: one that is busy is not down.
                if (!up) {
                    up = isReady();
                }
                TimeUnit.MILLISECONDS.sleep(EVERY_MILLIS);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void take() {
        ProcessHandle handle = process.toHandle();
        Sample sample = new Sample(
                resident(handle),
                handle.descendants().mapToLong(WatchedServer::resident).sum());
        synchronized (samples) {
            samples.add(sample);
        }
    }

    /** Of a process that has ended: 0. */
    private static long resident(ProcessHandle process) {
        try {
            return Files.readAllLines(Path.of("/proc", Long.toString(process.pid()), "status")).stream()
                    .filter(line -> line.startsWith("VmRSS:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) << 10)
                    .sum();
        } catch (IOException ended) {
            return 0;
        }
    }

    /** Forgets what was seen so far. */
    void beginSamples() {
        synchronized (samples) {
            samples.clear();
        }
    }

    /** Most bytes of all processes below the gateway together, at one moment. */
    long mostBelow() {
        synchronized (samples) {
            return samples.stream().mapToLong(Sample::below).max().orElse(0);
        }
    }

    /** Most bytes of the gateway in a part of the time, such as 0 to 0.25. */
    long mostOwn(double from, double to) {
        synchronized (samples) {
            int size = samples.size();
            return samples.subList((int) (size * from), (int) (size * to)).stream()
                    .mapToLong(Sample::own)
                    .max()
                    .orElse(0);
        }
    }

    int restarts() {
        return restarts.get();
    }

    /** Waits for it to come back after its end; at most until a time of {@link System#nanoTime}. */
    void awaitUp(long end) throws InterruptedException {
        // Its end is seen by clients before it is seen here.
        do {
            TimeUnit.MILLISECONDS.sleep(2 * EVERY_MILLIS);
        } while (!up && System.nanoTime() < end);
    }

    private void kill() {
        closed = true;
        process.destroyForcibly();
    }

    @Override
    public void close() throws InterruptedException {
        closed = true;
        watch.join();
        kill();
        process.waitFor();
        Runtime.getRuntime().removeShutdownHook(hook);
    }
}
