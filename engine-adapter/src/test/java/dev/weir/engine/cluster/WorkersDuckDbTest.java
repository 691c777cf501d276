package dev.weir.engine.cluster;

import dev.weir.engine.QueryEngine;
import dev.weir.engine.QueryEngineContract;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** The engine of workers does what every engine does: here over one worker, which can write. */
class WorkersDuckDbTest extends QueryEngineContract {

    @TempDir
    private Path directory;

    private OneWorker worker;

    @Override
    protected QueryEngine open() throws Exception {
        worker = new OneWorker(directory);
        return worker.engine;
    }

    @AfterEach
    void close() {
        worker.close();
    }
}
