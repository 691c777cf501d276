package dev.weir.engine;

import java.util.concurrent.CompletionStage;

/**
 * One call under way in an engine.
 *
 * @param <T> what it yields
 */
public interface EngineCall<T> {

    /** Completes with the value, or exceptionally with an {@link EngineException} (never wrapped, never another type). */
    CompletionStage<T> result();

    /**
     * Asks the engine to stop; returns at once, any number of times, from any thread. {@link #result()} then completes
     * exceptionally with CANCELLED unless it was complete already; a result that is complete is cancelled by its own
     * {@link ArrowResult#cancel()}.
     */
    void cancel();

    /** Completes (never exceptionally) when the engine does nothing for this call any more. */
    CompletionStage<Void> stopped();
}
