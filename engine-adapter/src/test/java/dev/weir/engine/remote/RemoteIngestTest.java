package dev.weir.engine.remote;

import dev.weir.engine.EngineIngestContract;
import dev.weir.engine.QueryEngine;
import java.nio.file.Path;

/** Bulk ingest into DuckDB behind a worker, over a real connection. */
class RemoteIngestTest extends EngineIngestContract {

    private Loopback loopback;

    @Override
    protected QueryEngine open(Path directory) {
        loopback = Loopback.open(directory);
        return loopback.connect();
    }

    @Override
    protected void close(QueryEngine opened) {
        loopback.close();
    }
}
