package dev.weir.engine;

/**
 * What an engine is.
 *
 * @param name for example {@code duckdb}
 * @param version as the engine reports it
 * @param readOnly whether it refuses every write
 */
public record EngineInfo(String name, String version, boolean readOnly) {}
