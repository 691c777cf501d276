package dev.weir.gateway.query;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.engine.EncodedBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/**
 * One reader's share of a {@link PartitionedResult}. The batches move into a root of its own, without a copy, so that the
 * others need not wait for its reader.
 */
final class Partition implements ResultStream {

    private final PartitionedResult whole;
    private final CompletableFuture<GatewayException> aborted = new CompletableFuture<>();
    private volatile @Nullable ResultStream source;

    @GuardedBy("this")
    private @Nullable VectorSchemaRoot root;

    @GuardedBy("this")
    private long number = -1;

    @GuardedBy("this")
    private boolean complete;

    @GuardedBy("this")
    private boolean closed;

    Partition(PartitionedResult whole) {
        this.whole = whole;
    }

    void begin(ResultStream stream) {
        source = stream;
    }

    private ResultStream source() {
        return Objects.requireNonNull(source);
    }

    /** Moves a batch in. One that comes after the close is dropped. */
    synchronized void take(VectorSchemaRoot from, long batch) {
        number = batch;
        if (closed) {
            return;
        }
        if (root == null) {
            root = rootLike(from);
        }
        List<FieldVector> target = root.getFieldVectors();
        for (int i = 0; i < target.size(); i++) {
            from.getVector(i).makeTransferPair(target.get(i)).transfer();
        }
        root.setRowCount(from.getRowCount());
    }

    /** Buffers move only between allocators of one family: each vector is made by the allocator of its source. */
    private static VectorSchemaRoot rootLike(VectorSchemaRoot from) {
        List<FieldVector> vectors = new ArrayList<>();
        for (FieldVector vector : from.getFieldVectors()) {
            vectors.add(vector.getField().createVector(vector.getAllocator()));
        }
        return new VectorSchemaRoot(from.getSchema(), vectors, 0);
    }

    synchronized void number(long batch) {
        number = batch;
    }

    synchronized void ended() {
        complete = true;
        if (root != null) {
            root.clear();
        }
    }

    void abort(GatewayException why) {
        aborted.complete(why);
    }

    @Override
    public Schema schema() {
        return source().schema();
    }

    @Override
    public synchronized VectorSchemaRoot root() {
        if (root == null) {
            if (!complete) {
                throw new IllegalStateException("root() before the first batch");
            }
            root = VectorSchemaRoot.create(schema(), whole.allocator());
        }
        return root;
    }

    @Override
    public DictionaryProvider dictionaries() {
        return source().dictionaries();
    }

    @Override
    public OptionalLong updateCount() {
        return source().updateCount();
    }

    @Override
    public CompletionStage<Boolean> next() {
        synchronized (this) {
            // Nobody needs the batch any more; the memory is the engine's.
            if (root != null) {
                root.clear();
            }
        }
        PartitionPull.Loading pull = new PartitionPull.Loading(this);
        whole.ask(pull);
        return pull.handed;
    }

    @Override
    public boolean givesEncoded() {
        return source().givesEncoded();
    }

    @Override
    public CompletionStage<@Nullable EncodedBatch> nextEncoded() {
        PartitionPull.Relaying pull = new PartitionPull.Relaying(this);
        whole.ask(pull);
        return pull.handed;
    }

    @Override
    public synchronized OptionalLong batchNumber() {
        return whole.isNumbered() && number >= 0 ? OptionalLong.of(number) : OptionalLong.empty();
    }

    @Override
    public CompletionStage<GatewayException> aborted() {
        return aborted;
    }

    @Override
    public void format(String name) {
        source().format(name);
    }

    @Override
    public void delivered(long bytes) {
        source().delivered(bytes);
    }

    /** The rest goes to the others. */
    @Override
    public synchronized void finishEarly() {
        complete = true;
    }

    @Override
    public void close() {
        boolean all;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            all = complete;
            if (root != null) {
                root.close();
            }
        }
        whole.left(all);
    }
}
