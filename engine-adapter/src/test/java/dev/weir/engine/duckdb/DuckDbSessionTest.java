package dev.weir.engine.duckdb;

import dev.weir.engine.EngineSessionContract;
import dev.weir.engine.QueryEngine;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** DuckDB's sessions, held to what every session must do. */
class DuckDbSessionTest extends EngineSessionContract {

    @TempDir
    Path directory;

    @Override
    protected QueryEngine open() {
        return DuckDbEngine.open(TestDatabases.inMemory(directory));
    }
}
