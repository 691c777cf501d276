package dev.weir.gateway.http;

import dev.weir.engine.EncodedBatch;
import dev.weir.gateway.query.GatewayException;
import dev.weir.gateway.query.ResultStream;
import dev.weir.gateway.query.TestBatch;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

/** A result made by hand: batches are filled on a thread of their own, as an engine does. */
final class FakeResult implements ResultStream {

    /** Fills batch number {@code index}; false at the end. */
    interface Filler {
        boolean fill(VectorSchemaRoot root, int index) throws Exception;
    }

    final AtomicInteger pulls = new AtomicInteger();
    final AtomicLong deliveredBytes = new AtomicLong();
    final AtomicBoolean closed = new AtomicBoolean();
    final AtomicBoolean finishedEarly = new AtomicBoolean();
    final CompletableFuture<GatewayException> aborted = new CompletableFuture<>();

    /** Every batch that was given encoded. */
    final List<TestBatch> relayed = new CopyOnWriteArrayList<>();

    private volatile BufferAllocator encodedBy;
    private final VectorSchemaRoot root;
    private final Filler filler;
    private volatile DictionaryProvider dictionaries = new DictionaryProvider.MapDictionaryProvider();
    private volatile OptionalLong updateCount = OptionalLong.empty();
    private volatile boolean ended;
    private boolean filling;
    private volatile Runnable onClose = () -> {};

    FakeResult(VectorSchemaRoot root, Filler filler) {
        this.root = root;
        this.filler = filler;
    }

    /** One batch, already filled. */
    static FakeResult of(VectorSchemaRoot root) {
        return new FakeResult(root, (r, index) -> index == 0);
    }

    static FakeResult of(FieldVector... vectors) {
        VectorSchemaRoot root = VectorSchemaRoot.of(vectors);
        root.setRowCount(vectors[0].getValueCount());
        return of(root);
    }

    /** No rows, no columns; a count or none. */
    static FakeResult update(BufferAllocator allocator, OptionalLong count) {
        FakeResult result =
                new FakeResult(VectorSchemaRoot.create(new Schema(List.<Field>of()), allocator), (r, index) -> false);
        result.updateCount = count;
        return result;
    }

    /** One BIGINT column "n" counting up. */
    static FakeResult numbers(BufferAllocator allocator, int batches, int rowsPerBatch) {
        return numbers(allocator, batches, rowsPerBatch, null);
    }

    /** The same, failing instead of the batch after the last. */
    static FakeResult numbers(BufferAllocator allocator, int batches, int rowsPerBatch, GatewayException atEnd) {
        BigIntVector n = new BigIntVector("n", allocator);
        VectorSchemaRoot root = VectorSchemaRoot.of(n);
        return new FakeResult(root, (r, index) -> {
            if (index >= batches) {
                if (atEnd != null) {
                    throw atEnd;
                }
                return false;
            }
            n.allocateNew(rowsPerBatch);
            for (int i = 0; i < rowsPerBatch; i++) {
                n.set(i, (long) index * rowsPerBatch + i);
            }
            r.setRowCount(rowsPerBatch);
            return true;
        });
    }

    FakeResult with(DictionaryProvider provider) {
        this.dictionaries = provider;
        return this;
    }

    /** Its batches come encoded, when asked for so. */
    FakeResult encoded(BufferAllocator allocator) {
        encodedBy = allocator;
        return this;
    }

    @Override
    public boolean givesEncoded() {
        return encodedBy != null;
    }

    @Override
    public CompletionStage<EncodedBatch> nextEncoded() {
        return pull(more -> {
            if (!more) {
                return null;
            }
            TestBatch batch = TestBatch.of(root, encodedBy);
            relayed.add(batch);
            return batch;
        });
    }

    void onClose(Runnable action) {
        this.onClose = action;
    }

    boolean ended() {
        return ended;
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
        return dictionaries;
    }

    @Override
    public OptionalLong updateCount() {
        return updateCount;
    }

    @Override
    public CompletionStage<Boolean> next() {
        return pull(more -> more);
    }

    private <T> CompletionStage<T> pull(Function<Boolean, T> given) {
        int index = pulls.getAndIncrement();
        CompletableFuture<T> loaded = new CompletableFuture<>();
        FakeQueryService.ENGINE.execute(() -> {
            if (aborted.isDone()) {
                loaded.completeExceptionally(aborted.join());
                return;
            }
            if (!begin()) {
                return;
            }
            try {
                boolean more = filler.fill(root, index);
                ended = !more;
                T taken = given.apply(more);
                end();
                loaded.complete(taken);
            } catch (Throwable thrown) {
                end();
                loaded.completeExceptionally(thrown);
            }
        });
        return loaded;
    }

    @Override
    public CompletionStage<GatewayException> aborted() {
        return aborted;
    }

    @Override
    public void delivered(long bytes) {
        deliveredBytes.addAndGet(bytes);
    }

    @Override
    public void finishEarly() {
        finishedEarly.set(true);
    }

    private synchronized boolean begin() {
        filling = !closed.get();
        return filling;
    }

    private synchronized void end() {
        filling = false;
        if (closed.get()) {
            root.close();
        }
    }

    /** Frees at once, or when the engine is done with its batch. */
    @Override
    public void close() {
        synchronized (this) {
            if (!closed.compareAndSet(false, true)) {
                return;
            }
            if (!filling) {
                root.close();
            }
        }
        onClose.run();
    }
}
