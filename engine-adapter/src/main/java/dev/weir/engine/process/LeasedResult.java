package dev.weir.engine.process;

import dev.weir.engine.ArrowResult;
import dev.weir.engine.EncodedBatch;
import dev.weir.engine.EngineException;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/** A child's result, which keeps the child until it is closed and the child is idle for it. */
final class LeasedResult implements ArrowResult {

    private final ArrowResult rows;
    private final Lease lease;
    private final LeasedCall.Terms terms;
    private final CompletableFuture<Void> stopped = new CompletableFuture<>();
    private volatile @Nullable EngineException failure;

    LeasedResult(ArrowResult rows, Lease lease, LeasedCall.Terms terms) {
        this.rows = rows;
        this.lease = lease;
        this.terms = terms;
        rows.stopped().whenComplete((nothing, none) -> {
            lease.release(failure);
            stopped.complete(null);
        });
    }

    @Override
    public Schema schema() {
        return rows.schema();
    }

    @Override
    public VectorSchemaRoot root() {
        return rows.root();
    }

    @Override
    public DictionaryProvider dictionaries() {
        return rows.dictionaries();
    }

    @Override
    public CompletionStage<Boolean> next() {
        return told(rows.next());
    }

    @Override
    public boolean givesEncoded() {
        return rows.givesEncoded();
    }

    @Override
    public CompletionStage<@Nullable EncodedBatch> nextEncoded() {
        return told(rows.nextEncoded());
    }

    private <T extends @Nullable Object> CompletionStage<T> told(CompletionStage<T> stage) {
        CompletableFuture<T> told = new CompletableFuture<>();
        stage.whenComplete((value, thrown) -> {
            if (thrown == null) {
                told.complete(value);
                return;
            }
            EngineException cause = ChildFailures.of(thrown);
            failure = cause;
            terms.failures()
                    .translate(cause, lease)
                    .whenComplete((words, impossible) -> told.completeExceptionally(words));
        });
        return told;
    }

    /** As for {@link LeasedCall#mayHaveHadLess}. */
    boolean mayHaveHadLess(Throwable thrown) {
        return ChildFailures.mayHaveHadLess(ChildFailures.of(thrown), lease);
    }

    @Override
    public OptionalLong peakMemoryBytes() {
        return rows.peakMemoryBytes();
    }

    @Override
    public OptionalLong updateCount() {
        return rows.updateCount();
    }

    @Override
    public void cancel() {
        rows.cancel();
        LeasedCall.stuckUnless(stopped, lease, terms);
    }

    @Override
    public CompletionStage<Void> stopped() {
        return stopped;
    }

    @Override
    public void close() {
        rows.close();
        LeasedCall.stuckUnless(stopped, lease, terms);
    }
}
