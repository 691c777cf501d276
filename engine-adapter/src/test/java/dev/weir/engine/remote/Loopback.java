package dev.weir.engine.remote;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.Access;
import dev.weir.engine.EngineInfo;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.EngineStats;
import dev.weir.engine.QueryContext;
import dev.weir.engine.SessionSettings;
import dev.weir.engine.duckdb.DuckDbEngine;
import dev.weir.engine.duckdb.DuckDbSettings;
import dev.weir.engine.worker.WorkerServer;
import dev.weir.engine.worker.WorkerSettings;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.net.ssl.KeyManager;
import javax.net.ssl.TrustManager;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** DuckDB in a worker on loopback, and engines that speak to it. Closing it checks that nothing is left anywhere. */
final class Loopback implements AutoCloseable {

    static final byte[] SECRET = "a secret of more than 16 bytes".getBytes(StandardCharsets.UTF_8);

    static final Duration LONG = Duration.ofSeconds(20);

    final DuckDbEngine duck;
    final WorkerServer worker;
    private final List<RemoteEngine> engines = new ArrayList<>();

    Loopback(Path directory, WorkerSettings settings) {
        duck = DuckDbEngine.open(
                new DuckDbSettings(null, false, directory, List.of(), Map.of(), List.of(), 1L << 30, 1L << 30, 2, 64));
        worker = new WorkerServer(duck, settings);
        worker.start();
    }

    static WorkerSettings settings(int slots, long windowBytes, Duration heartbeatTimeout) {
        return settings(slots, windowBytes, heartbeatTimeout, null);
    }

    static WorkerSettings settings(int slots, long windowBytes, Duration heartbeatTimeout, @Nullable KeyManager keys) {
        return new WorkerSettings(
                "w", "127.0.0.1", 0, keys, SECRET, slots, 1L << 30, windowBytes, heartbeatTimeout, "none", () -> 0);
    }

    static Loopback open(Path directory) {
        return new Loopback(directory, settings(64, WorkerSettings.DEFAULT_WINDOW_BYTES, Duration.ofSeconds(8)));
    }

    /** An engine with ordinary settings. */
    RemoteEngine connect() {
        return connect(worker.port(), Duration.ofSeconds(10), LONG, LONG);
    }

    RemoteEngine connect(int port, Duration connectTimeout, Duration heartbeat, Duration resume) {
        return connect(new RemoteSettings("w", "127.0.0.1", port, null, SECRET, connectTimeout, heartbeat, resume));
    }

    RemoteEngine connect(TrustManager trust, String host) {
        return connect(new RemoteSettings("w", host, worker.port(), trust, SECRET, LONG, LONG, LONG));
    }

    RemoteEngine connect(RemoteSettings settings) {
        RemoteEngine engine = new RemoteEngine(settings, new EngineInfo("duckdb", "?", false), duck::scan);
        engines.add(engine);
        return engine;
    }

    /** A read within limits of its own. */
    static EngineQuery query(String sql, int batchRows, QueryContext context) {
        return new EngineQuery("q", sql, Access.READ, SessionSettings.NONE, List.of(), batchRows, context);
    }

    /** Waits until nothing is under way on either side, and all memory was given back. */
    void awaitNothing() {
        Awaitility.await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            for (RemoteEngine engine : engines) {
                assertThat(engine.stats()).isEqualTo(new EngineStats(0, 0, 0, 0));
            }
            assertThat(worker.running()).isZero();
            assertThat(duck.stats()).isEqualTo(new EngineStats(0, 0, 0, 0));
        });
    }

    @Override
    public void close() {
        try {
            awaitNothing();
        } finally {
            engines.forEach(RemoteEngine::close);
            worker.close();
            duck.close();
        }
    }
}
