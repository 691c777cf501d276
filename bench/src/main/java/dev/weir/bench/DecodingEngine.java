package dev.weir.bench;

import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineCapacity;
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
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.pojo.Schema;

/** An engine elsewhere whose results, for statements that say so, do not offer their batches encoded. */
record DecodingEngine(QueryEngine engine) implements QueryEngine {

    /** A statement that ends so is decoded and encoded again. */
    static final String MARK = "/* decode */";

    @Override
    public EngineCall<ArrowResult> execute(EngineQuery query) {
        EngineCall<ArrowResult> call = engine.execute(query);
        return query.sql().endsWith(MARK) ? new Decoding(call) : call;
    }

    private record Decoding(EngineCall<ArrowResult> call) implements EngineCall<ArrowResult> {
        @Override
        public CompletionStage<ArrowResult> result() {
            CompletableFuture<ArrowResult> result = new CompletableFuture<>();
            call.result().whenComplete((made, thrown) -> {
                if (made != null) {
                    result.complete(new Decoded(made));
                } else if (thrown != null) {
                    result.completeExceptionally(thrown);
                }
            });
            return result;
        }

        @Override
        public void cancel() {
            call.cancel();
        }

        @Override
        public CompletionStage<Void> stopped() {
            return call.stopped();
        }
    }

    /** Without {@code givesEncoded}. */
    private record Decoded(ArrowResult result) implements ArrowResult {
        @Override
        public Schema schema() {
            return result.schema();
        }

        @Override
        public VectorSchemaRoot root() {
            return result.root();
        }

        @Override
        public DictionaryProvider dictionaries() {
            return result.dictionaries();
        }

        @Override
        public CompletionStage<Boolean> next() {
            return result.next();
        }

        @Override
        public OptionalLong updateCount() {
            return result.updateCount();
        }

        @Override
        public void cancel() {
            result.cancel();
        }

        @Override
        public CompletionStage<Void> stopped() {
            return result.stopped();
        }

        @Override
        public void close() {
            result.close();
        }
    }

    @Override
    public EngineInfo info() {
        return engine.info();
    }

    @Override
    public StatementScan scan(String sql) {
        return engine.scan(sql);
    }

    @Override
    public EngineCall<StatementDescription> describe(EngineQuery query) {
        return engine.describe(query);
    }

    @Override
    public EngineCall<ArrowResult> metadata(MetadataRequest request) {
        return engine.metadata(request);
    }

    @Override
    public EngineCall<Void> check() {
        return engine.check();
    }

    @Override
    public EngineStats stats() {
        return engine.stats();
    }

    @Override
    public EngineCapacity capacity() {
        return engine.capacity();
    }

    @Override
    public void close() {
        engine.close();
    }
}
