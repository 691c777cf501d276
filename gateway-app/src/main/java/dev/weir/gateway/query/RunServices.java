package dev.weir.gateway.query;

import dev.weir.admission.AdmissionController;
import dev.weir.engine.QueryEngine;
import java.time.InstantSource;
import java.util.function.BiConsumer;

/**
 * What a run needs of its service.
 *
 * @param onDone told once, when the run is done and everything it held is free
 */
record RunServices(
        QueryEngine engine,
        AdmissionController admission,
        LimitsSource limits,
        Timers timers,
        InstantSource clock,
        BiConsumer<QueryRun, QuerySnapshot> onDone) {}
