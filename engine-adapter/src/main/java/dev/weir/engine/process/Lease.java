package dev.weir.engine.process;

import dev.weir.engine.EngineException;
import org.jspecify.annotations.Nullable;

/** A child that one call may use until it gives it back. Thread-safe. */
interface Lease {

    Child child();

    /** DuckDB's limit for what the call does there. */
    long memoryBytes();

    /**
     * Whether other calls were in the child before this one, or are there with it: what they left, or take, may have
     * cost this one memory that was promised to it.
     */
    boolean isUsed();

    /**
     * Gives the child back; later calls do nothing.
     *
     * @param failure what the call ended with, which may mean that the child must be replaced; null for none
     */
    void release(@Nullable EngineException failure);

    /** Tells that the call was cancelled and has not stopped within a bounded time. */
    void stuck();
}
