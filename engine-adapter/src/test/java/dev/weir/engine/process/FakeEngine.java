package dev.weir.engine.process;

import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineInfo;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.EngineStats;
import dev.weir.engine.MetadataRequest;
import dev.weir.engine.QueryEngine;
import dev.weir.engine.StatementDescription;
import dev.weir.engine.StatementScan;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;

/** An engine whose calls end when the test says so. */
final class FakeEngine implements QueryEngine {

    /** Every call so far. */
    final List<Call<?>> calls = new CopyOnWriteArrayList<>();

    static final class Call<T> implements EngineCall<T> {

        final CompletableFuture<T> result = new CompletableFuture<>();
        final CompletableFuture<Void> stopped = new CompletableFuture<>();
        volatile boolean cancelled;

        void fail(EngineException failure) {
            result.completeExceptionally(failure);
            stopped.complete(null);
        }

        @Override
        public CompletionStage<T> result() {
            return result;
        }

        @Override
        public void cancel() {
            cancelled = true;
        }

        @Override
        public CompletionStage<Void> stopped() {
            return stopped;
        }
    }

    @SuppressWarnings("unchecked")
    <T> Call<T> last() {
        return (Call<T>) calls.get(calls.size() - 1);
    }

    private <T> Call<T> call() {
        Call<T> call = new Call<>();
        calls.add(call);
        return call;
    }

    @Override
    public EngineInfo info() {
        return new EngineInfo("fake", "1", true);
    }

    @Override
    public StatementScan scan(String sql) {
        throw new UnsupportedOperationException();
    }

    @Override
    public EngineCall<StatementDescription> describe(EngineQuery query) {
        return call();
    }

    @Override
    public EngineCall<ArrowResult> execute(EngineQuery query) {
        return call();
    }

    @Override
    public EngineCall<ArrowResult> metadata(MetadataRequest request) {
        return call();
    }

    @Override
    public EngineCall<Void> check() {
        return call();
    }

    @Override
    public EngineStats stats() {
        return new EngineStats(0, 0, 0, 0);
    }

    @Override
    public void close() {}
}
