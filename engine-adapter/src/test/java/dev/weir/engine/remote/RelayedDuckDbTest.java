package dev.weir.engine.remote;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.EngineStats;
import dev.weir.engine.QueryContext;
import dev.weir.engine.QueryEngine;
import dev.weir.engine.QueryEngineContract;
import dev.weir.engine.Rows;
import dev.weir.engine.worker.WorkerServer;
import dev.weir.engine.worker.WorkerSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** DuckDB behind a worker behind a worker, which hands the bytes on as they came. */
@Tag("full")
class RelayedDuckDbTest extends QueryEngineContract {

    @TempDir
    Path directory;

    private Loopback loopback;
    private RemoteEngine inner;
    private WorkerServer outer;

    @Override
    protected QueryEngine open() {
        loopback = Loopback.open(directory);
        inner = loopback.connect();
        outer = new WorkerServer(
                inner, Loopback.settings(64, WorkerSettings.DEFAULT_WINDOW_BYTES, Duration.ofSeconds(8)));
        outer.start();
        return loopback.connect(outer.port(), Duration.ofSeconds(10), Loopback.LONG, Loopback.LONG);
    }

    @AfterEach
    void nothingIsLeftOnTheWorkers() {
        Awaitility.await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            assertThat(outer.running()).isZero();
            assertThat(inner.stats()).isEqualTo(new EngineStats(0, 0, 0, 0));
        });
        outer.close();
        loopback.close();
    }

    @Test
    void aRelayedStreamThatIsCutIsWhole() throws IOException {
        try (CuttingProxy proxy = new CuttingProxy(outer.port())) {
            RemoteEngine through =
                    loopback.connect(proxy.port(), Duration.ofSeconds(10), Loopback.LONG, Duration.ofSeconds(10));
            for (int i = 1; i <= 5; i++) {
                proxy.cutAfter(i * 1_500_000L);
                assertThat(Rows.of(
                                through,
                                Loopback.query(
                                        "select i, 'row ' || i as s from range(400000) t(i)",
                                        20_000,
                                        QueryContext.NONE)))
                        .hasSize(400_000)
                        .satisfies(rows -> {
                            for (int row = 0; row < rows.size(); row++) {
                                if ((Long) rows.get(row).get(0) != row) {
                                    throw new AssertionError("Row " + row);
                                }
                            }
                        });
            }
            assertThat(proxy.cuts()).isEqualTo(5);
        }
    }
}
