package dev.weir.engine.duckdb;

import dev.weir.engine.ArrowResult;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.pojo.Schema;

/** A result that is complete before it is handed over: a count of changed rows, or rows of the catalog. */
final class MemoryResult implements ArrowResult {

    private final NativeScope scope;
    private final VectorSchemaRoot root;
    private final OptionalLong updateCount;
    private boolean served;

    /** @param scope owns the root's memory; nothing native is left in it */
    MemoryResult(NativeScope scope, VectorSchemaRoot root, OptionalLong updateCount) {
        this.scope = scope;
        this.root = root;
        this.updateCount = updateCount;
        this.served = root.getRowCount() == 0;
    }

    @Override
    public Schema schema() {
        return root.getSchema();
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
    public synchronized CompletionStage<Boolean> next() {
        if (scope.isCancelled()) {
            return CompletableFuture.failedFuture(ErrorTranslator.cancelled());
        }
        if (served) {
            scope.end();
            return CompletableFuture.completedFuture(false);
        }
        served = true;
        return CompletableFuture.completedFuture(true);
    }

    @Override
    public OptionalLong updateCount() {
        return updateCount;
    }

    @Override
    public void cancel() {
        scope.cancel();
    }

    @Override
    public CompletionStage<Void> stopped() {
        return scope.stopped();
    }

    @Override
    public void close() {
        scope.cancel();
    }
}
