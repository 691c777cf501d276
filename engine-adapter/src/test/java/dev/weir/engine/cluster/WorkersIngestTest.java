package dev.weir.engine.cluster;

import dev.weir.engine.EngineIngestContract;
import dev.weir.engine.QueryEngine;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;

/** Bulk ingest through the engine of workers. */
@Tag("full")
class WorkersIngestTest extends EngineIngestContract {

    private OneWorker worker;

    @Override
    protected QueryEngine open(Path directory) throws Exception {
        worker = new OneWorker(directory);
        return worker.engine;
    }

    @Override
    protected void close(QueryEngine opened) {
        worker.close();
    }
}
