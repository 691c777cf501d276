package dev.weir.engine.process;

import dev.weir.engine.EngineIngestSessionContract;
import dev.weir.engine.QueryEngine;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;

/** Bulk ingest in sessions into a database in a child process. */
@Tag("full")
class SupervisedIngestSessionTest extends EngineIngestSessionContract {

    @Override
    protected QueryEngine open(Path directory) {
        return SupervisedEngine.open(new SupervisedSettings(
                Databases.settings(directory.resolve("db.duckdb"), false, directory, 1L << 30, 1L << 30),
                directory.resolve("processes"),
                256L << 20));
    }
}
