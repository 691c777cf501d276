package dev.weir.gateway.flightsql;

import dev.weir.engine.EncodedBatch;
import dev.weir.gateway.query.CancelReason;
import dev.weir.gateway.query.GatewayException;
import dev.weir.gateway.query.QueryState;
import dev.weir.gateway.query.ResultStream;
import dev.weir.gateway.query.TestBatch;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.pojo.Schema;

/** The result of a query of {@link FakeQueries}: batches of ascending numbers, or of what its filler fills in. */
final class FakeNumbers implements ResultStream {
    final AtomicInteger pulls = new AtomicInteger();
    final AtomicInteger closes = new AtomicInteger();
    final AtomicLong delivered = new AtomicLong();
    final CompletableFuture<GatewayException> aborted = new CompletableFuture<>();
    final VectorSchemaRoot root;
    private final FakeQueries queries;
    private final FakeQueries.Execution execution;
    private final FakeQueries.Script script;
    private volatile CompletableFuture<Boolean> pending;
    private volatile boolean complete;
    private int given;
    private long next;

    FakeNumbers(FakeQueries queries, FakeQueries.Execution execution, FakeQueries.Script script) {
        this.queries = queries;
        this.execution = execution;
        this.script = script;
        this.root = VectorSchemaRoot.create(script.schema(), queries.allocator);
    }

    @Override
    public Schema schema() {
        return script.schema();
    }

    @Override
    public VectorSchemaRoot root() {
        return root;
    }

    @Override
    public DictionaryProvider dictionaries() {
        return new DictionaryProvider.MapDictionaryProvider();
    }

    @Override
    public OptionalLong updateCount() {
        return script.count();
    }

    @Override
    public CompletionStage<Boolean> next() {
        pulls.incrementAndGet();
        GatewayException abort = aborted.getNow(null);
        if (abort != null) {
            return CompletableFuture.failedFuture(abort);
        }
        CompletableFuture<Boolean> pull = new CompletableFuture<>();
        pending = pull;
        if (!queries.holdBatches) {
            give();
        }
        return pull;
    }

    @Override
    public boolean givesEncoded() {
        return queries.encoded;
    }

    @Override
    public CompletionStage<EncodedBatch> nextEncoded() {
        return next().thenApply(more -> {
            if (!more) {
                return null;
            }
            TestBatch batch = TestBatch.of(root, queries.allocator, queries.relayed.size() % 2 == 1);
            queries.relayed.add(batch);
            return batch;
        });
    }

    /** Answers the pull that waits. */
    void give() {
        if (given == script.batches()) {
            complete = true;
            pending.complete(false);
            return;
        }
        given++;
        root.clear();
        Consumer<VectorSchemaRoot> filler = queries.fillers.get(execution.request.sql());
        if (filler != null) {
            filler.accept(root);
            pending.complete(true);
            return;
        }
        if (!root.getFieldVectors().isEmpty()) {
            BigIntVector vector = (BigIntVector) root.getVector(0);
            vector.allocateNew(script.rows());
            for (int row = 0; row < script.rows(); row++) {
                vector.set(row, next++);
            }
            vector.setValueCount(script.rows());
        }
        root.setRowCount(script.rows());
        pending.complete(true);
    }

    void fail(GatewayException failure) {
        execution.end(QueryState.FAILED, failure.code(), failure.text());
        pending.completeExceptionally(failure);
    }

    void abort(GatewayException failure) {
        CompletableFuture<Boolean> pull = pending;
        if (pull != null) {
            pull.completeExceptionally(failure);
        }
        aborted.complete(failure);
    }

    @Override
    public CompletionStage<GatewayException> aborted() {
        return aborted;
    }

    @Override
    public void delivered(long bytes) {
        delivered.addAndGet(bytes);
    }

    @Override
    public void finishEarly() {
        complete = true;
    }

    @Override
    public void close() {
        if (closes.incrementAndGet() == 1) {
            root.close();
            if (!complete && !execution.done.isDone()) {
                execution.cancels.add(CancelReason.CLIENT_GONE);
            }
            execution.end(complete ? QueryState.FINISHED : QueryState.CANCELLED, null, null);
        }
    }
}
