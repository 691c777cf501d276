package dev.weir.gateway.flightsql;

import dev.weir.gateway.query.GatewayException;
import dev.weir.gateway.query.ResultStream;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.pojo.Schema;

/** A catalog answer: one batch that is there already. */
final class OneBatch implements ResultStream {
    private final VectorSchemaRoot root;
    private boolean given;

    OneBatch(VectorSchemaRoot root) {
        this.root = root;
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
    public OptionalLong updateCount() {
        return OptionalLong.empty();
    }

    @Override
    public CompletionStage<Boolean> next() {
        boolean more = !given;
        given = true;
        return CompletableFuture.completedFuture(more);
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
    public void close() {
        root.close();
    }
}
