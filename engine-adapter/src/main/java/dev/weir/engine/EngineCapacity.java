package dev.weir.engine;

/**
 * What an engine can carry at this moment. Admission's caps never exceed it.
 *
 * @param slots most queries at once
 * @param memoryBytes most memory promised to them together
 */
public record EngineCapacity(int slots, long memoryBytes) {

    /** An engine that is bounded by the configured caps alone. */
    public static final EngineCapacity UNBOUNDED = new EngineCapacity(Integer.MAX_VALUE, Long.MAX_VALUE);
}
