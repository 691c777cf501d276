package dev.weir.engine.process;

import java.util.concurrent.CompletionStage;

/** Starts children. Thread-safe. */
interface ChildFactory extends AutoCloseable {

    /** Completes when the child answers, or exceptionally with a {@link ChildStartException}; returns at once. */
    CompletionStage<Child> start(ChildRequest request);

    /** What bounds the memory of its children, in the words of {@link dev.weir.engine.EngineNode#limit()}. */
    String limit();

    /** Ends every child that still lives, and waits a bounded time for that. Idempotent. */
    @Override
    void close();
}
