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
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.pojo.Schema;

/** Answers every query with one empty result of a given schema. */
final class FakeEngine implements QueryEngine {

    private final RootAllocator allocator = new RootAllocator();
    private final Schema schema;
    private final RuntimeException thrown;

    /** @param thrown thrown by {@code execute} instead; null for none */
    FakeEngine(Schema schema, RuntimeException thrown) {
        this.schema = schema;
        this.thrown = thrown;
    }

    private final class Result implements ArrowResult {

        private final VectorSchemaRoot root = VectorSchemaRoot.create(schema, allocator);
        private final CompletableFuture<Void> stopped = new CompletableFuture<>();

        @Override
        public Schema schema() {
            return schema;
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
            return CompletableFuture.completedFuture(false);
        }

        @Override
        public OptionalLong updateCount() {
            return OptionalLong.empty();
        }

        @Override
        public OptionalLong peakMemoryBytes() {
            return OptionalLong.of(12_345);
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
        public void close() {
            root.close();
            stopped.complete(null);
        }
    }

    private record Done<T>(CompletionStage<T> result) implements EngineCall<T> {

        @Override
        public void cancel() {}

        @Override
        public CompletionStage<Void> stopped() {
            return CompletableFuture.completedFuture(null);
        }
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
        throw new UnsupportedOperationException();
    }

    @Override
    public EngineCall<ArrowResult> execute(EngineQuery query) {
        if (thrown != null) {
            throw thrown;
        }
        return new Done<>(CompletableFuture.completedFuture(new Result()));
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
        return new EngineStats(0, 0, 0, allocator.getAllocatedMemory());
    }

    @Override
    public void close() {
        allocator.close();
    }
}
