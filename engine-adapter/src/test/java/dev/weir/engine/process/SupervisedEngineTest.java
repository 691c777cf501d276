package dev.weir.engine.process;

import dev.weir.engine.QueryEngine;
import dev.weir.engine.QueryEngineContract;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** A database in a child process, held to what every engine must do. */
@Tag("full")
class SupervisedEngineTest extends QueryEngineContract {

    /** What the process runs from is made once. */
    @TempDir
    static Path processes;

    @TempDir
    Path directory;

    @Override
    protected QueryEngine open() {
        return SupervisedEngine.open(new SupervisedSettings(
                Databases.settings(directory.resolve("db.duckdb"), false, directory, 1L << 30, 1L << 30),
                processes,
                256L << 20));
    }
}
