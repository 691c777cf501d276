package dev.weir.gateway.query;

import dev.weir.admission.AdmissionController;
import dev.weir.engine.QueryEngine;
import dev.weir.engine.StatementRunner;
import java.time.InstantSource;
import java.util.function.BiConsumer;

/**
 * What a run needs of its service.
 *
 * @param runner what runs its statement: the engine, or a session
 * @param onDone told once, when the run is done and everything it held is free
 */
record RunServices(
        QueryEngine engine,
        StatementRunner runner,
        AdmissionController admission,
        LimitsSource limits,
        Timers timers,
        InstantSource clock,
        BiConsumer<QueryRun, QuerySnapshot> onDone) {

    /** The same for a run on something else. */
    RunServices on(StatementRunner other) {
        return new RunServices(engine, other, admission, limits, timers, clock, onDone);
    }

    /** Whether it runs in a session. */
    boolean isSession() {
        return runner != engine;
    }
}
