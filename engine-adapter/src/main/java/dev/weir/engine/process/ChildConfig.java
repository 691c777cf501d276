package dev.weir.engine.process;

import dev.weir.engine.duckdb.DuckDbSettings;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a child is told on its standard input, as one line of JSON: other users of the machine can read a command line,
 * and there is a secret in it.
 *
 * @param name for its log lines
 * @param secret base64
 * @param database the database file; null for an in-memory database
 * @param readOnly whether that is opened read-only
 * @param directory the child's own; removed at its end
 * @param allowedDirectories as in {@link DuckDbSettings}
 * @param parquetViews likewise
 * @param initSql likewise
 * @param memoryLimitBytes DuckDB's memory_limit
 * @param maxTempBytes limit of its temp files
 * @param threads DuckDB's threads
 * @param slots most queries at once
 * @param stackBytes stack of each of the threads that go into native code
 * @param windowBytes most bytes of sent batches that are held until they are confirmed
 * @param measured whether the peak of each query is measured, which only means something for one query at a time
 * @param memoryFollowsQuery whether memory_limit is set anew for each query, likewise
 * @param limit what bounds its memory, in the words of {@link dev.weir.engine.EngineNode#limit()}
 */
record ChildConfig(
        String name,
        String secret,
        @Nullable String database,
        boolean readOnly,
        String directory,
        List<String> allowedDirectories,
        Map<String, String> parquetViews,
        List<String> initSql,
        long memoryLimitBytes,
        long maxTempBytes,
        int threads,
        int slots,
        long stackBytes,
        long windowBytes,
        boolean measured,
        boolean memoryFollowsQuery,
        String limit) {

    /** Threads beside those of the slots: describing, and the next batch of a result whose call is still ending. */
    private static final int MORE_THREADS = 4;

    /** The settings of the engine that the child opens. */
    DuckDbSettings engine() {
        Map<String, Path> views = new LinkedHashMap<>();
        parquetViews.forEach((view, path) -> views.put(view, Path.of(path)));
        return new DuckDbSettings(
                database == null ? null : Path.of(database),
                readOnly,
                Path.of(directory),
                allowedDirectories.stream().map(Path::of).toList(),
                views,
                initSql,
                memoryLimitBytes,
                maxTempBytes,
                threads,
                slots + MORE_THREADS,
                stackBytes,
                memoryFollowsQuery);
    }
}
