package dev.weir.engine.duckdb;

import dev.weir.engine.EngineIngestSessionContract;
import dev.weir.engine.QueryEngine;
import java.nio.file.Path;

/** Bulk ingest in sessions into DuckDB in this process. */
class DuckDbIngestSessionTest extends EngineIngestSessionContract {

    @Override
    protected QueryEngine open(Path directory) throws Exception {
        return DuckDbEngine.open(TestDatabases.inMemory(directory));
    }
}
