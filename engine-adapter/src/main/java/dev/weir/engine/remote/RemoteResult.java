package dev.weir.engine.remote;

import dev.weir.engine.ArrowResult;
import dev.weir.engine.EncodedBatch;
import dev.weir.engine.EngineException;
import io.grpc.SynchronizationContext;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorLoader;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/** The reader's end of a run: what came and was not taken yet. The run's context orders all but the asking. */
final class RemoteResult implements ArrowResult {

    /** What the result needs of its run; all in the context but {@code stopped}. */
    interface Source {

        /** A batch was taken: another may come. */
        void taken();

        /** The reader knows how the result ended. */
        void drained();

        void cancelNow();

        CompletionStage<Void> stopped();
    }

    /** A reader that waits, for a batch or, given null, the end. */
    private record Pull<T>(CompletableFuture<T> stage, Function<@Nullable WireBatch, T> value) {

        void complete(@Nullable WireBatch batch) {
            T given;
            try {
                given = value.apply(batch);
            } catch (RuntimeException e) {
                stage.completeExceptionally(e instanceof EngineException ? e : Failures.internal(e));
                return;
            }
            stage.complete(given);
        }
    }

    private final SynchronizationContext sync;
    private final Source source;
    private final BufferAllocator allocator;
    private final VectorSchemaRoot root;
    private final VectorLoader loader;
    private final OptionalLong updateCount;
    private final Deque<WireBatch> waiting = new ArrayDeque<>();
    private final AtomicReference<@Nullable Pull<?>> pending = new AtomicReference<>();
    private volatile OptionalLong peakMemory = OptionalLong.empty();
    private boolean ended;
    private @Nullable EngineException failed;

    RemoteResult(
            SynchronizationContext sync,
            Source source,
            BufferAllocator allocator,
            Schema schema,
            OptionalLong updateCount) {
        this.sync = sync;
        this.source = source;
        this.allocator = allocator;
        this.root = VectorSchemaRoot.create(schema, allocator);
        this.loader = new VectorLoader(root);
        this.updateCount = updateCount;
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
        return updateCount;
    }

    @Override
    public OptionalLong peakMemoryBytes() {
        return peakMemory;
    }

    @Override
    public boolean givesEncoded() {
        return true;
    }

    @Override
    public CompletionStage<Boolean> next() {
        return pull(this::load);
    }

    @Override
    public CompletionStage<@Nullable EncodedBatch> nextEncoded() {
        return this.<@Nullable EncodedBatch>pull(batch -> {
            root.clear();
            return batch;
        });
    }

    private <T extends @Nullable Object> CompletionStage<T> pull(Function<@Nullable WireBatch, T> value) {
        Pull<T> pull = new Pull<>(new CompletableFuture<>(), value);
        if (!pending.compareAndSet(null, pull)) {
            throw new IllegalStateException("The batch before is still being read");
        }
        sync.execute(this::serve);
        return pull.stage();
    }

    private boolean load(@Nullable WireBatch batch) {
        root.clear();
        if (batch == null) {
            return false;
        }
        try (batch;
                ArrowRecordBatch decoded = batch.decode(allocator)) {
            loader.load(decoded);
            return true;
        } catch (IOException e) {
            throw Failures.internal(e);
        }
    }

    private void serve() {
        Pull<?> pull = pending.get();
        if (pull == null) {
            return;
        }
        WireBatch batch = waiting.poll();
        if (batch != null) {
            pending.set(null);
            source.taken();
            pull.complete(batch);
        } else if (failed != null) {
            pending.set(null);
            release();
            source.drained();
            pull.stage().completeExceptionally(failed);
        } else if (ended) {
            pending.set(null);
            source.drained();
            pull.complete(null);
        }
    }

    /** Whether a reader waits; from any thread. */
    boolean isReading() {
        return pending.get() != null;
    }

    /** Whether a batch came that nobody has taken. */
    boolean hasWaiting() {
        return !waiting.isEmpty();
    }

    /** A batch came. */
    void offer(WireBatch batch) {
        if (failed != null) {
            batch.close();
            return;
        }
        waiting.add(batch);
        serve();
    }

    void end(@Nullable Long peak) {
        ended = true;
        if (peak != null) {
            peakMemory = OptionalLong.of(peak);
        }
        serve();
    }

    /** No more comes; what came is still given. */
    void fail(EngineException failure) {
        if (failed == null && !ended) {
            failed = failure;
            serve();
        }
    }

    /** No more is wanted. What the reader may be working on stays until its next call, which is told so, or its close. */
    void discard() {
        releaseWaiting();
        fail(Failures.cancelled());
    }

    private void releaseWaiting() {
        WireBatch batch;
        while ((batch = waiting.poll()) != null) {
            batch.close();
        }
    }

    /** Gives back all that is in hand. */
    private void release() {
        releaseWaiting();
        root.close();
    }

    @Override
    public void cancel() {
        sync.execute(() -> {
            if (!(ended && waiting.isEmpty())) {
                ended = false;
                discard();
            }
            source.cancelNow();
            source.drained();
        });
    }

    @Override
    public CompletionStage<Void> stopped() {
        return source.stopped();
    }

    @Override
    public void close() {
        sync.execute(() -> {
            release();
            if (!ended) {
                fail(Failures.cancelled());
            }
            source.cancelNow();
            source.drained();
        });
    }
}
