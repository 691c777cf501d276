package dev.weir.engine.duckdb;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Settings for tests. */
final class TestDatabases {

    private TestDatabases() {}

    static DuckDbSettings inMemory(Path directory) {
        return new DuckDbSettings(null, false, directory, List.of(), Map.of(), List.of(), 1L << 30, 1L << 30, 2, 16);
    }

    static DuckDbSettings file(Path directory, Path database) {
        return new DuckDbSettings(
                database, false, directory, List.of(), Map.of(), List.of(), 1L << 30, 1L << 30, 2, 16);
    }
}
