package dev.weir.gateway.query;

import dev.weir.engine.Access;
import dev.weir.engine.ArrowResult;
import dev.weir.engine.EncodedBatch;
import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.EngineInfo;
import dev.weir.engine.EngineIngest;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.EngineSession;
import dev.weir.engine.EngineStats;
import dev.weir.engine.IngestFeed;
import dev.weir.engine.MetadataRequest;
import dev.weir.engine.QueryEngine;
import dev.weir.engine.StatementDescription;
import dev.weir.engine.StatementKind;
import dev.weir.engine.StatementScan;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

/** An engine whose every step the test takes: {@link Call#open}, {@link Result#give}, {@link Result#idle} ... */
final class FakeEngine implements QueryEngine {

    static final Schema SCHEMA = new Schema(List.of(Field.nullable("n", new ArrowType.Int(32, true))));

    final BufferAllocator allocator = new RootAllocator();
    final List<Call<ArrowResult>> calls = new ArrayList<>();
    final List<EngineQuery> queries = new ArrayList<>();
    final List<IngestFeed> feeds = new ArrayList<>();
    final List<Call<StatementDescription>> describes = new ArrayList<>();
    final List<FakeEngineSession> sessions = new ArrayList<>();
    StatementScan scan = new StatementScan(StatementKind.QUERY, Access.READ, 42, false);

    /** What the engine throws instead of taking a call; null when it takes them. */
    RuntimeException refusal;

    static final class Call<T> implements EngineCall<T> {
        final CompletableFuture<T> result = new CompletableFuture<>();
        final CompletableFuture<Void> stopped = new CompletableFuture<>();
        volatile boolean cancelled;

        void open(T value) {
            result.complete(value);
        }

        void fail(EngineFailure failure, String message) {
            fail(new EngineException(failure, message));
        }

        void fail(EngineException failure) {
            result.completeExceptionally(failure);
            stopped.complete(null);
        }

        /** What an engine does after a cancel, sooner or later. */
        void stop() {
            result.completeExceptionally(new EngineException(EngineFailure.CANCELLED, "stopped"));
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

    final class Result implements ArrowResult {
        final VectorSchemaRoot root = VectorSchemaRoot.create(SCHEMA, allocator);
        final CompletableFuture<Void> stopped = new CompletableFuture<>();
        volatile CompletableFuture<Boolean> pull;
        volatile CompletableFuture<Boolean> given;
        volatile CompletableFuture<EncodedBatch> encodedPull;
        volatile boolean encoded;
        volatile boolean cancelled;
        volatile int closes;
        volatile OptionalLong peakMemoryBytes = OptionalLong.empty();

        /** Lets {@code pull} answer the next pull, whatever else happens to the result. */
        Result answering(CompletableFuture<Boolean> pull) {
            given = pull;
            return this;
        }

        /** Its batches come encoded. */
        Result encoded() {
            encoded = true;
            return this;
        }

        @Override
        public boolean givesEncoded() {
            return encoded;
        }

        @Override
        public CompletionStage<EncodedBatch> nextEncoded() {
            encodedPull = new CompletableFuture<>();
            return encodedPull;
        }

        /** Answers the pending pull with an encoded batch. */
        TestBatch giveEncoded(int rows) {
            fill(rows);
            TestBatch batch = TestBatch.of(root, allocator);
            encodedPull.complete(batch);
            return batch;
        }

        /** Answers the pending pull with a batch. */
        void give(int rows) {
            fill(rows);
            pull.complete(true);
        }

        private void fill(int rows) {
            IntVector vector = (IntVector) root.getVector(0);
            vector.allocateNew(rows);
            for (int i = 0; i < rows; i++) {
                vector.set(i, i);
            }
            root.setRowCount(rows);
        }

        void end() {
            pull.complete(false);
        }

        void fail(EngineFailure failure, String message) {
            pull.completeExceptionally(new EngineException(failure, message));
        }

        /** The engine is idle for this result: memory goes with it. */
        void idle() {
            root.close();
            stopped.complete(null);
        }

        @Override
        public Schema schema() {
            return SCHEMA;
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
            if (given != null) {
                return given;
            }
            pull = new CompletableFuture<>();
            return pull;
        }

        @Override
        public OptionalLong peakMemoryBytes() {
            return peakMemoryBytes;
        }

        @Override
        public OptionalLong updateCount() {
            return OptionalLong.empty();
        }

        @Override
        public void cancel() {
            cancelled = true;
        }

        @Override
        public CompletionStage<Void> stopped() {
            return stopped;
        }

        @Override
        public synchronized void close() {
            closes++;
            CompletableFuture<Boolean> pending = pull;
            if (pending != null) {
                pending.completeExceptionally(new EngineException(EngineFailure.CANCELLED, "closed"));
            }
        }
    }

    Result newResult() {
        return new Result();
    }

    private void refuse() {
        if (refusal != null) {
            throw refusal;
        }
    }

    @Override
    public EngineInfo info() {
        return new EngineInfo("fake", "1", false);
    }

    @Override
    public StatementScan scan(String sql) {
        if (sql.isBlank()) {
            throw new EngineException(EngineFailure.SYNTAX, "The statement is empty.");
        }
        return scan;
    }

    @Override
    public EngineCall<StatementDescription> describe(EngineQuery query) {
        refuse();
        Call<StatementDescription> call = new Call<>();
        describes.add(call);
        queries.add(query);
        return call;
    }

    @Override
    public synchronized EngineCall<ArrowResult> execute(EngineQuery query) {
        refuse();
        Call<ArrowResult> call = new Call<>();
        calls.add(call);
        queries.add(query);
        return call;
    }

    @Override
    public boolean takesIngest() {
        return true;
    }

    @Override
    public synchronized EngineCall<ArrowResult> ingest(EngineIngest ingest, IngestFeed feed) {
        Call<ArrowResult> call = new Call<>();
        calls.add(call);
        feeds.add(feed);
        return call;
    }

    @Override
    public EngineSession openSession(Access access) {
        FakeEngineSession session = new FakeEngineSession(access);
        sessions.add(session);
        return session;
    }

    @Override
    public EngineCall<ArrowResult> metadata(MetadataRequest request) {
        return execute(EngineQuery.read("m", "m"));
    }

    @Override
    public EngineCall<Void> check() {
        Call<Void> call = new Call<>();
        call.open(null);
        return call;
    }

    @Override
    public EngineStats stats() {
        return new EngineStats(0, 0, 0, 0);
    }

    @Override
    public void close() {
        allocator.close();
    }
}
