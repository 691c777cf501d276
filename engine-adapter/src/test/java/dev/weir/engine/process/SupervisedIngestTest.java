package dev.weir.engine.process;

import dev.weir.engine.EngineIngestContract;
import dev.weir.engine.QueryEngine;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;

/** Bulk ingest into a database in a child process. */
@Tag("full")
class SupervisedIngestTest extends EngineIngestContract {

    @Override
    protected QueryEngine open(Path directory) {
        return SupervisedEngine.open(new SupervisedSettings(
                Databases.settings(directory.resolve("db.duckdb"), false, directory, 1L << 30, 1L << 30),
                directory.resolve("processes"),
                256L << 20));
    }
}
