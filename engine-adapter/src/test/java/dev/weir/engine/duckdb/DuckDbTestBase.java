package dev.weir.engine.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.engine.Access;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.EngineStats;
import dev.weir.engine.Rows;
import dev.weir.engine.SessionSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** One engine for the tests of a class, and the check after each that no call, result or byte is left. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class DuckDbTestBase {

    Path directory;

    DuckDbEngine engine;

    @BeforeAll
    void openEngine(@TempDir Path temporary) throws Exception {
        directory = temporary;
        engine = DuckDbEngine.open(settings());
    }

    DuckDbSettings settings() throws Exception {
        return TestDatabases.inMemory(directory);
    }

    @AfterEach
    void nothingIsLeft() {
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(engine.stats()).isEqualTo(new EngineStats(0, 0, 0, 0)));
    }

    @AfterAll
    void closeEngine() {
        engine.close();
    }

    static EngineQuery query(Access access, String sql, Object... parameters) {
        List<List<Object>> rows = parameters.length == 0 ? List.of() : List.of(Arrays.asList(parameters));
        return new EngineQuery("q", sql, access, SessionSettings.NONE, rows, EngineQuery.DEFAULT_BATCH_ROWS);
    }

    List<List<Object>> run(Access access, String sql, Object... parameters) {
        return Rows.of(engine, query(access, sql, parameters));
    }

    EngineException failure(Access access, String sql, Object... parameters) {
        EngineException failure = catchThrowableOfType(EngineException.class, () -> run(access, sql, parameters));
        assertThat(failure)
                .as("failure of: " + (sql.length() > 100 ? sql.substring(0, 100) : sql))
                .isNotNull();
        return failure;
    }
}
