package dev.weir.gateway.flightsql;

import dev.weir.gateway.query.GatewayException;
import dev.weir.gateway.query.ResultStream;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.pojo.Schema;

/** The result of a statement without rows that was run before: no rows, and its count. Holds nothing. */
final class DoneStream implements ResultStream {

    private static final Schema EMPTY = new Schema(java.util.List.of());

    private final OptionalLong count;
    private final VectorSchemaRoot root = new VectorSchemaRoot(java.util.List.of());

    DoneStream(OptionalLong count) {
        this.count = count;
    }

    @Override
    public Schema schema() {
        return EMPTY;
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
        return count;
    }

    @Override
    public CompletionStage<Boolean> next() {
        return CompletableFuture.completedFuture(false);
    }

    @Override
    public CompletionStage<GatewayException> aborted() {
        return new CompletableFuture<>();
    }

    @Override
    public void delivered(long bytes) {}

    @Override
    public void finishEarly() {}

    @Override
    public void close() {}
}
