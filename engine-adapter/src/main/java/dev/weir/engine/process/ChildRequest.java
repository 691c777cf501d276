package dev.weir.engine.process;

/**
 * A child that is wanted.
 *
 * @param memoryBytes what its queries together may have
 * @param threads DuckDB's threads in it
 * @param slots most queries at once
 * @param version the database file as it lay there when the child was asked for
 */
record ChildRequest(long memoryBytes, int threads, int slots, FileVersion version) {}
