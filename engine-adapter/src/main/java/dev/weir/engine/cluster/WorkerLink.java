package dev.weir.engine.cluster;

import dev.weir.engine.EngineCall;
import dev.weir.engine.QueryEngine;
import dev.weir.engine.remote.WorkerReport;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The way to one worker.
 *
 * @param engine runs statements there; closed with the member
 * @param report asks the worker for its figures
 * @param resumes broken streams that were taken up again there
 */
record WorkerLink(QueryEngine engine, Supplier<EngineCall<WorkerReport>> report, LongSupplier resumes) {}
