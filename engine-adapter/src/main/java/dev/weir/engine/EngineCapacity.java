package dev.weir.engine;

/**
 * What an engine can carry at this moment. Admission's caps never exceed it.
 *
 * @param slots most queries at once
 * @param memoryBytes most memory promised to them together
 * @param shortQueriesShare whether short queries need no slot of their own, since they have one place together
 * @param undivided whether one query may be promised all of the memory; else it has to fit on one of the nodes
 */
public record EngineCapacity(int slots, long memoryBytes, boolean shortQueriesShare, boolean undivided) {

    /** Of nodes, each with slots and memory of its own. */
    public EngineCapacity(int slots, long memoryBytes) {
        this(slots, memoryBytes, false, false);
    }

    /** An engine that is bounded by the configured caps alone. */
    public static final EngineCapacity UNBOUNDED = new EngineCapacity(Integer.MAX_VALUE, Long.MAX_VALUE);
}
