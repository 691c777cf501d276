package dev.weir.engine;

import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

/** A result whose pulls the test answers. Its memory goes when it is closed. */
public final class FakeResult implements ArrowResult {

    public static final Schema SCHEMA = schema("n");

    public final CompletableFuture<Void> stopped = new CompletableFuture<>();
    private final Schema schema;
    private final VectorSchemaRoot root;
    private CompletableFuture<Boolean> pull;
    private EngineException lost;
    private boolean closed;

    public FakeResult(Schema schema, BufferAllocator allocator) {
        this.schema = schema;
        this.root = VectorSchemaRoot.create(schema, allocator);
    }

    public static Schema schema(String column) {
        return new Schema(List.of(Field.nullable(column, new ArrowType.Int(32, true))));
    }

    /** Answers the pending pull with a batch of one row. */
    public synchronized void give(int value) {
        IntVector vector = (IntVector) root.getVector(0);
        vector.allocateNew(1);
        vector.set(0, value);
        root.setRowCount(1);
        pull.complete(true);
    }

    public synchronized void end() {
        stopped.complete(null);
        pull.complete(false);
    }

    /** The worker is gone: whatever is asked fails, now and later. */
    public void lose(EngineFailure failure) {
        CompletableFuture<Boolean> pending;
        synchronized (this) {
            lost = new EngineException(failure, failure + " of a fake");
            pending = pull;
        }
        if (pending != null) {
            pending.completeExceptionally(lost);
        }
        stopped.complete(null);
    }

    public synchronized boolean isPulled() {
        return pull != null && !pull.isDone();
    }

    public synchronized boolean isClosed() {
        return closed;
    }

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
    public synchronized CompletionStage<Boolean> next() {
        pull = new CompletableFuture<>();
        if (lost != null) {
            pull.completeExceptionally(lost);
        }
        return pull;
    }

    @Override
    public OptionalLong updateCount() {
        return OptionalLong.empty();
    }

    @Override
    public void cancel() {
        lose(EngineFailure.CANCELLED);
    }

    @Override
    public CompletionStage<Void> stopped() {
        return stopped;
    }

    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            root.close();
        }
        cancel();
    }
}
