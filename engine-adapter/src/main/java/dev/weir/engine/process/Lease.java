package dev.weir.engine.process;

import dev.weir.engine.EngineException;
import org.jspecify.annotations.Nullable;

/** A child that one call may use until it gives it back. Thread-safe. */
interface Lease {

    Child child();

    /** DuckDB's limit for what the call does there. */
    long memoryBytes();

    /**
     * Gives the child back; later calls do nothing.
     *
     * @param failure what the call ended with, which may mean that the child must be replaced; null for none
     */
    void release(@Nullable EngineException failure);

    /** Tells that the call was cancelled and has not stopped within a bounded time. */
    void stuck();
}
