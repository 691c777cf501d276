package dev.weir.engine.process;

import dev.weir.engine.EngineSessionContract;
import dev.weir.engine.QueryEngine;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** Sessions of a database in a child process, held to what every session must do. */
@Tag("full")
class SupervisedSessionTest extends EngineSessionContract {

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
