package dev.weir.engine.remote;

import dev.weir.engine.QueryEngine;
import dev.weir.engine.QueryEngineContract;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** DuckDB behind a worker, over a real connection, held to what every engine must do. */
class RemoteDuckDbTest extends QueryEngineContract {

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
