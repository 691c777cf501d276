package dev.weir.engine.cluster;

import dev.weir.engine.EngineFailure;

/** Told of what happens between workers, for meters; on any thread, must not block. */
public interface WorkersListener {

    /** Told nothing. */
    WorkersListener NONE = (worker, failure) -> {};

    /**
     * A query goes to another worker.
     *
     * @param worker that did not take or finish it
     * @param failure why
     */
    void retried(String worker, EngineFailure failure);
}
