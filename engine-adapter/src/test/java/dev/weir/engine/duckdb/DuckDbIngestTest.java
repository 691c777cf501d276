package dev.weir.engine.duckdb;

import dev.weir.engine.EngineIngestContract;
import dev.weir.engine.QueryEngine;
import java.nio.file.Path;

/** Bulk ingest into DuckDB in this process. */
class DuckDbIngestTest extends EngineIngestContract {

    @Override
    protected QueryEngine open(Path directory) throws Exception {
        return DuckDbEngine.open(TestDatabases.inMemory(directory));
    }
}
