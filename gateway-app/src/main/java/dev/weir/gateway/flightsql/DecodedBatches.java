package dev.weir.gateway.flightsql;

import dev.weir.gateway.query.ResultStream;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.apache.arrow.flight.FlightProducer.ServerStreamListener;
import org.apache.arrow.memory.BufferAllocator;
import org.jspecify.annotations.Nullable;

/** Batches that come as vectors, and are encoded by flight-core. */
final class DecodedBatches implements Batches {

    private final ResultStream result;
    private final ServerStreamListener listener;
    private final BufferAllocator allocator;
    private @Nullable BatchWindow window;

    DecodedBatches(ResultStream result, ServerStreamListener listener, BufferAllocator allocator) {
        this.result = result;
        this.listener = listener;
        this.allocator = allocator;
    }

    @Override
    public CompletionStage<Boolean> load() {
        return result.next();
    }

    @Override
    public long loaded(boolean more) {
        if (window == null) {
            window = new BatchWindow(result.root());
            listener.start(window, result.dictionaries());
        }
        return more ? window.batchLoaded() : 0;
    }

    @Override
    public boolean send() {
        BatchWindow batch = Objects.requireNonNull(window);
        if (batch.hasNext()) {
            batch.showNext(() -> BatchNumbers.put(result, listener, allocator));
        }
        return !batch.hasNext();
    }

    /** Nothing: the result owns its root. */
    @Override
    public void close() {}
}
