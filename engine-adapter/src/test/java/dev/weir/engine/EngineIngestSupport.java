package dev.weir.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** One engine for the ingest tests of a class, and the check after each that no call, result or byte is left. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class EngineIngestSupport {

    protected QueryEngine engine;

    /** Opens the engine, with an empty database that can be written. */
    protected abstract QueryEngine open(Path directory) throws Exception;

    /** Closes it, and what was opened with it. */
    protected void close(QueryEngine opened) {
        opened.close();
    }

    @BeforeAll
    void openEngine(@TempDir Path directory) throws Exception {
        engine = open(directory);
    }

    @AfterEach
    void nothingIsLeft() {
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(engine.stats()).isEqualTo(new EngineStats(0, 0, 0, 0)));
    }

    @AfterAll
    void closeEngine() {
        close(engine);
    }

    static EngineQuery query(Access access, String sql) {
        return new EngineQuery("q", sql, access, SessionSettings.NONE, List.of(), EngineQuery.DEFAULT_BATCH_ROWS);
    }

    List<List<Object>> run(Access access, String sql) {
        return Rows.of(engine, query(access, sql));
    }

    EngineException failure(Access access, String sql) {
        EngineException failure = catchThrowableOfType(EngineException.class, () -> run(access, sql));
        assertThat(failure).as("failure of: %s", sql).isNotNull();
        return failure;
    }

    StreamFeed rows(String sql) {
        return StreamFeed.of(StreamFeed.streamOf(engine, sql, 1000));
    }

    static String quote(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }
}
