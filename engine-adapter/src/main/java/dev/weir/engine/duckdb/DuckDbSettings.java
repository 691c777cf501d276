package dev.weir.engine.duckdb;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How an embedded DuckDB is opened. Values are checked before the engine is made; a fault there names its property.
 *
 * @param database the database file; null for an in-memory database
 * @param readOnly open with access_mode=READ_ONLY
 * @param directory the gateway's data directory; extensions, secrets and temp files lie in sub-directories of it
 * @param allowedDirectories directories that statements may read and (by ADMIN) write; empty for none
 * @param parquetViews view name to a directory of Parquet files; each becomes a view in main and its directory allowed
 * @param initSql statements run once at start, before the configuration is locked; may be empty
 * @param memoryLimitBytes the instance's memory_limit
 * @param maxTempBytes limit of the temp directory, set by SET since the connection property is not enforced
 * @param threads DuckDB's worker threads
 * @param maxEngineThreads most of our own threads in native calls at once; a call beyond fails with UNAVAILABLE
 * @param stackBytes stack of each of them; a small one ends the process on nested statements that the scan lets through
 * @param memoryFollowsQuery whether memory_limit is set anew for each query, to what it was promised where that is less:
 *     only for an instance that runs one query at a time
 */
public record DuckDbSettings(
        @Nullable Path database,
        boolean readOnly,
        Path directory,
        List<Path> allowedDirectories,
        Map<String, Path> parquetViews,
        List<String> initSql,
        long memoryLimitBytes,
        long maxTempBytes,
        int threads,
        int maxEngineThreads,
        long stackBytes,
        boolean memoryFollowsQuery) {

    /** Takes memory only as far as it is used. */
    public static final long DEFAULT_STACK_BYTES = 64L << 20;

    /** Settings with the default stacks. */
    public DuckDbSettings(
            @Nullable Path database,
            boolean readOnly,
            Path directory,
            List<Path> allowedDirectories,
            Map<String, Path> parquetViews,
            List<String> initSql,
            long memoryLimitBytes,
            long maxTempBytes,
            int threads,
            int maxEngineThreads) {
        this(
                database,
                readOnly,
                directory,
                allowedDirectories,
                parquetViews,
                initSql,
                memoryLimitBytes,
                maxTempBytes,
                threads,
                maxEngineThreads,
                DEFAULT_STACK_BYTES,
                false);
    }

    /** What statements may read and write: the allowed directories and those of the Parquet views. */
    FilePaths files() {
        List<Path> all = new ArrayList<>(allowedDirectories);
        all.addAll(parquetViews.values());
        return new FilePaths(all);
    }
}
