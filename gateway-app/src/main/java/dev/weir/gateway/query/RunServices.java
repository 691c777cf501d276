package dev.weir.gateway.query;

import dev.weir.admission.AdmissionController;
import dev.weir.admission.RunPermit;
import dev.weir.engine.Access;
import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineException;
import dev.weir.engine.QueryEngine;
import dev.weir.engine.SessionStatement;
import dev.weir.engine.StatementRunner;
import dev.weir.engine.StatementScan;
import java.time.Duration;
import java.time.InstantSource;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a run needs of its service.
 *
 * @param runner what runs its statement: the engine, or a session
 * @param ingest what it loads; null for a run of a statement
 * @param onOpened told each time that the engine gave a result
 * @param onDone told once, when the run is done and everything it held is free
 */
record RunServices(
        QueryEngine engine,
        StatementRunner runner,
        AdmissionController admission,
        LimitsSource limits,
        Timers timers,
        InstantSource clock,
        @Nullable Ingest ingest,
        Consumer<RunRecord> onOpened,
        BiConsumer<QueryRun, QuerySnapshot> onDone) {

    /** The same for a run on something else. */
    RunServices on(StatementRunner other, @Nullable Ingest load) {
        return new RunServices(engine, other, admission, limits, timers, clock, load, onOpened, onDone);
    }

    /** The same for a run that another controller admits. */
    RunServices admittedBy(AdmissionController other) {
        return new RunServices(engine, runner, other, limits, timers, clock, ingest, onOpened, onDone);
    }

    /** What the run does, as far as its words tell. */
    StatementScan scan(QueryRequest request) {
        return ingest == null ? engine.scan(request.sql()) : ingest.scan();
    }

    /** Whether it is a statement that ends a transaction. */
    boolean endsTransaction(QueryRequest request) {
        try {
            SessionStatement statement =
                    ingest == null ? engine.scan(request.sql()).session() : null;
            return statement instanceof SessionStatement.Commit || statement instanceof SessionStatement.Rollback;
        } catch (EngineException e) {
            // It is refused where it is run, in its words.
            return false;
        }
    }

    /** Starts it on the engine or in its session. */
    EngineCall<ArrowResult> start(RunRecord record, Access access, RunPermit granted, Duration statementTimeout) {
        EngineCall<ArrowResult> call = ingest == null
                ? runner.execute(record.engineQuery(access, granted, statementTimeout))
                : runner.ingest(record.engineIngest(ingest, access, granted, statementTimeout), ingest.feed());
        call.result().thenAccept(given -> onOpened.accept(record));
        return call;
    }

    /** Whether it runs in a session. */
    boolean isSession() {
        return runner != engine;
    }
}
