package dev.weir.engine.remote;

import dev.weir.engine.EngineSessionContract;
import dev.weir.engine.QueryEngine;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** DuckDB behind a worker, over a real connection, whose sessions are held to what every session must do. */
class RemoteSessionTest extends EngineSessionContract {

    @TempDir
    Path directory;

    private Loopback loopback;

    @Override
    protected QueryEngine open() throws Exception {
        loopback = Loopback.open(directory);
        return loopback.connect();
    }

    @AfterEach
    void nothingIsLeftOnTheWorker() {
        loopback.close();
    }
}
