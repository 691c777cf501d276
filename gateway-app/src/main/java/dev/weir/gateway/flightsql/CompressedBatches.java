package dev.weir.gateway.flightsql;

import dev.weir.gateway.query.BufferCompression;
import dev.weir.gateway.query.ResultStream;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.apache.arrow.flight.FlightProducer.ServerStreamListener;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorUnloader;
import org.jspecify.annotations.Nullable;

/**
 * Batches that are sent with their buffers compressed, past flight-core's encoder, which cannot do that. What could come
 * encoded is pulled as vectors. Slices are cut by their size before compression, so no message is larger than without it.
 */
final class CompressedBatches implements Batches {

    private final ResultStream result;
    private final ServerStreamListener listener;
    private final CallState call;
    private final BufferAllocator allocator;
    private final BufferCompression compression;
    private @Nullable BatchWindow window;

    CompressedBatches(
            ResultStream result,
            ServerStreamListener listener,
            CallState call,
            BufferAllocator allocator,
            BufferCompression compression) {
        this.result = result;
        this.listener = listener;
        this.call = call;
        this.allocator = allocator;
        this.compression = compression;
    }

    @Override
    public CompletionStage<Boolean> load() {
        return result.next();
    }

    @Override
    public long loaded(boolean more) {
        if (window == null) {
            window = new BatchWindow(result.root());
            // Sends the schema and the dictionaries; these stay as they are.
            listener.start(window, result.dictionaries());
        }
        return more ? window.batchLoaded() : 0;
    }

    @Override
    public boolean send() {
        BatchWindow batch = Objects.requireNonNull(window);
        if (batch.hasNext()) {
            batch.showNext(() -> relay(batch));
        }
        return !batch.hasNext();
    }

    private void relay(BatchWindow shown) {
        VectorUnloader vectors = new VectorUnloader(shown);
        MessageBatch message = MessageBatch.of(compression.compress(vectors.getRecordBatch(), allocator));
        call.relay(new RelayedBatch(message, BatchNumbers.of(result)));
    }

    /** Nothing: the result owns its root, and the transport what was sent. */
    @Override
    public void close() {}
}
