package dev.weir.engine.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.EngineInfo;
import dev.weir.engine.duckdb.DuckDbEngine;
import dev.weir.engine.duckdb.DuckDbSettings;
import dev.weir.engine.worker.WorkerServer;
import dev.weir.engine.worker.WorkerSettings;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The engine of workers over one worker, whose database can be written. */
final class OneWorker implements AutoCloseable {

    final WorkersEngine engine;
    private final DuckDbEngine duckdb;
    private final WorkerServer server;

    OneWorker(Path directory) throws InterruptedException {
        DuckDbSettings settings =
                new DuckDbSettings(null, false, directory, List.of(), Map.of(), List.of(), 1L << 30, 1L << 30, 2, 64);
        duckdb = DuckDbEngine.open(settings);
        byte[] secret = "a secret of sixteen or more".getBytes(StandardCharsets.US_ASCII);
        server = new WorkerServer(
                duckdb,
                new WorkerSettings(
                        "w",
                        "127.0.0.1",
                        0,
                        null,
                        secret,
                        64,
                        1L << 30,
                        WorkerSettings.DEFAULT_WINDOW_BYTES,
                        WorkerSettings.DEFAULT_HEARTBEAT_TIMEOUT,
                        "engine",
                        () -> 0));
        server.start();
        engine = WorkersEngine.open(
                new ClusterSettings(
                        List.of(new WorkerAddress("w", "127.0.0.1", server.port(), null, null, 0, 0)),
                        null,
                        secret,
                        new EngineInfo("duckdb", "unknown", false),
                        ClusterSettings.Health.DEFAULT,
                        Duration.ofSeconds(3),
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(3)),
                DuckDbEngine.scanner(settings),
                WorkersListener.NONE);
        assertThat(engine.awaitWorker(Duration.ofSeconds(30))).isTrue();
    }

    @Override
    public void close() {
        engine.close();
        server.close();
        duckdb.close();
    }
}
