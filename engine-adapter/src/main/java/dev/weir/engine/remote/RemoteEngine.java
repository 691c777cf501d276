package dev.weir.engine.remote;

import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineInfo;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.EngineStats;
import dev.weir.engine.MetadataRequest;
import dev.weir.engine.QueryEngine;
import dev.weir.engine.StatementDescription;
import dev.weir.engine.StatementScan;
import java.util.function.Function;

/**
 * The engine of one worker. Connects lazily and again after a loss; a call that finds no worker fails with UNAVAILABLE
 * within the connect timeout. A stream that breaks is resumed at the first batch that was not received, if the worker
 * still holds it; else the result fails with LOST.
 */
public final class RemoteEngine implements QueryEngine {

    /**
     * @param info what the worker runs, as far as it is known before the first {@link #report()}
     * @param scanner classifies texts here, without the worker
     */
    public RemoteEngine(RemoteSettings settings, EngineInfo info, Function<String, StatementScan> scanner) {
        throw new UnsupportedOperationException();
    }

    /** Asks the worker for its figures, and so whether it lives; fails with UNAVAILABLE within the connect timeout. */
    public EngineCall<WorkerReport> report() {
        throw new UnsupportedOperationException();
    }

    @Override
    public EngineInfo info() {
        throw new UnsupportedOperationException();
    }

    @Override
    public StatementScan scan(String sql) {
        throw new UnsupportedOperationException();
    }

    @Override
    public EngineCall<StatementDescription> describe(EngineQuery query) {
        throw new UnsupportedOperationException();
    }

    @Override
    public EngineCall<ArrowResult> execute(EngineQuery query) {
        throw new UnsupportedOperationException();
    }

    @Override
    public EngineCall<ArrowResult> metadata(MetadataRequest request) {
        throw new UnsupportedOperationException();
    }

    @Override
    public EngineCall<Void> check() {
        throw new UnsupportedOperationException();
    }

    @Override
    public EngineStats stats() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
}
