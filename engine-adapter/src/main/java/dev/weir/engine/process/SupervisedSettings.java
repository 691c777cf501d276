package dev.weir.engine.process;

import dev.weir.engine.duckdb.DuckDbSettings;
import java.nio.file.Path;

/**
 * How one child process owns the database.
 *
 * @param engine what it opens; {@code maxEngineThreads} also bounds the calls at once
 * @param directory for the process's own directory and what it runs from; made if it is not there
 * @param heapBytes of the process; results are not in it
 */
public record SupervisedSettings(DuckDbSettings engine, Path directory, long heapBytes) {}
