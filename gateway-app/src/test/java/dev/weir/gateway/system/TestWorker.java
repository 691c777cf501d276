package dev.weir.gateway.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.worker.WorkerServer;
import dev.weir.gateway.config.RunningWorker;
import dev.weir.gateway.config.WorkerApplication;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.springframework.context.SmartLifecycle;

/** A worker in this process, with TLS, read-only on a database of its own. */
final class TestWorker implements AutoCloseable {

    private final RunningWorker worker;
    private final Path dataDir;

    private TestWorker(RunningWorker worker, Path dataDir) {
        this.worker = worker;
        this.dataDir = dataDir;
    }

    /** The secret of a test's gateways and workers. */
    static Path secret(Path directory) throws IOException {
        Path file = directory.resolve("cluster.secret");
        if (Files.notExists(file)) {
            Files.createDirectories(directory);
            Files.writeString(file, "a secret of tests, long enough\n");
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        }
        return file;
    }

    static List<String> arguments(Path secret, Path dataDir, Path database, String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                "--weir.cluster.secret-file=" + secret,
                "--weir.data-dir=" + dataDir,
                "--weir.management.port=0",
                "--weir.worker.memory=1GB",
                "--weir.engine.duckdb.database=" + database,
                "--weir.engine.duckdb.access=read-only"));
        arguments.addAll(List.of(more));
        return arguments;
    }

    static TestWorker start(Path secret, Path dataDir, Path database, String... more) {
        List<String> arguments = arguments(secret, dataDir, database, more);
        if (arguments.stream().noneMatch(argument -> argument.startsWith("--weir.worker.port="))) {
            arguments.add("--weir.worker.port=0");
        }
        return new TestWorker(WorkerApplication.start(arguments), dataDir);
    }

    int port() {
        return worker.port();
    }

    /** Queries under way there, from all gateways. */
    int running() {
        return worker.context().getBean(WorkerServer.class).running();
    }

    String certificate() throws IOException {
        return Files.readString(dataDir.resolve("tls").resolve("cert.pem"));
    }

    /** Breaks every connection, as a process that ends does. */
    void breakOff() {
        worker.context().getBean(WorkerServer.class).close();
    }

    /**
     * Drains and closes the port as SIGTERM does, but leaves the rest: it would end the HTTP threads that all servers of a
     * process share, the gateway's too.
     */
    void drain() throws InterruptedException {
        CountDownLatch drained = new CountDownLatch(1);
        worker.context().getBean("workerLifecycle", SmartLifecycle.class).stop(drained::countDown);
        assertThat(drained.await(60, TimeUnit.SECONDS)).isTrue();
    }

    @Override
    public void close() {
        worker.close();
    }
}
