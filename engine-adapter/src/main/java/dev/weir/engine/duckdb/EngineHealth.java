package dev.weir.engine.duckdb;

import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether DuckDB is still alive: after a fatal error it takes no statement until the process is started anew. */
final class EngineHealth {

    private static final Logger log = LoggerFactory.getLogger(EngineHealth.class);

    private volatile boolean lost;

    boolean isLost() {
        return lost;
    }

    /** Notes what a failure says about the engine, and gives it back. */
    EngineException observe(EngineException failure) {
        if (failure.failure() == EngineFailure.LOST) {
            lost = true;
            log.error("DuckDB failed and takes no more statements", failure);
        } else if (failure.failure() == EngineFailure.INTERNAL) {
            log.warn("A statement failed inside the engine", failure);
        }
        return failure;
    }
}
