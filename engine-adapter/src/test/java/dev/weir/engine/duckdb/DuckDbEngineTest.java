package dev.weir.engine.duckdb;

import dev.weir.engine.QueryEngine;
import dev.weir.engine.QueryEngineContract;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** DuckDB, held to what every engine must do. */
class DuckDbEngineTest extends QueryEngineContract {

    @TempDir
    Path directory;

    @Override
    protected QueryEngine open() {
        return DuckDbEngine.open(TestDatabases.inMemory(directory));
    }
}
