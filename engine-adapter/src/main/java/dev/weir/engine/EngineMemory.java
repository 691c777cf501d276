package dev.weir.engine;

/**
 * Memory that an engine says it holds, results that were handed out not included.
 *
 * @param bytes in memory
 * @param temporaryBytes in temporary files
 */
public record EngineMemory(long bytes, long temporaryBytes) {

    /** It cannot tell. */
    public static final EngineMemory UNKNOWN = new EngineMemory(-1, -1);
}
