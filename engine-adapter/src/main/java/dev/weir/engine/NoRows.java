package dev.weir.engine;

import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.pojo.Schema;

/** The result of a statement that gives no rows and changed none. */
final class NoRows implements ArrowResult {

    private final VectorSchemaRoot root = VectorSchemaRoot.of();
    private final CompletableFuture<Void> stopped = new CompletableFuture<>();

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
    public CompletionStage<Boolean> next() {
        close();
        return CompletableFuture.completedFuture(false);
    }

    @Override
    public OptionalLong updateCount() {
        return OptionalLong.of(0);
    }

    @Override
    public void cancel() {
        close();
    }

    @Override
    public CompletionStage<Void> stopped() {
        return stopped;
    }

    @Override
    @SuppressWarnings("NullAway") // A CompletionStage<Void> completes with null.
    public void close() {
        stopped.complete(null);
    }
}
