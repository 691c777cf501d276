package dev.weir.engine.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.EngineInfo;
import dev.weir.engine.QueryEngine;
import dev.weir.engine.QueryEngineContract;
import dev.weir.engine.duckdb.DuckDbEngine;
import dev.weir.engine.duckdb.DuckDbSettings;
import dev.weir.engine.worker.WorkerServer;
import dev.weir.engine.worker.WorkerSettings;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** The engine of workers does what every engine does: here over one worker, which can write. */
class WorkersDuckDbTest extends QueryEngineContract {

    @TempDir
    private Path directory;

    private DuckDbEngine duckdb;
    private WorkerServer server;

    @Override
    protected QueryEngine open() throws Exception {
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
        WorkersEngine engine = WorkersEngine.open(
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
        return engine;
    }

    @AfterEach
    void close() {
        engine.close();
        server.close();
        duckdb.close();
    }
}
