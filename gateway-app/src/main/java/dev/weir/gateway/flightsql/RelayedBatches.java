package dev.weir.gateway.flightsql;

import dev.weir.engine.EncodedBatch;
import dev.weir.gateway.query.ResultStream;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.arrow.flight.FlightProducer.ServerStreamListener;
import org.apache.arrow.memory.BufferAllocator;
import org.jspecify.annotations.Nullable;

/**
 * Batches that come encoded and go on as they are. One that is too large for the clients' message limit is decoded here
 * and sent in slices.
 */
final class RelayedBatches implements Batches {

    /** Some clients refuse messages over 16 MiB. */
    static final int MAX_MESSAGE_BYTES = 16 << 20;

    private final ResultStream result;
    private final ServerStreamListener listener;
    private final CallState call;
    private final BufferAllocator allocator;
    private CompletableFuture<@Nullable EncodedBatch> pulled = CompletableFuture.completedFuture(null);
    private @Nullable EncodedBatch batch;
    private @Nullable DecodedBatch decoded;
    private @Nullable BatchWindow window;

    RelayedBatches(ResultStream result, ServerStreamListener listener, CallState call, BufferAllocator allocator) {
        this.result = result;
        this.listener = listener;
        this.call = call;
        this.allocator = allocator;
    }

    @Override
    public CompletionStage<Boolean> load() {
        pulled = result.nextEncoded().toCompletableFuture();
        return pulled.thenApply(Objects::nonNull);
    }

    @Override
    public long loaded(boolean more) {
        if (window == null) {
            decoded = new DecodedBatch(result.schema(), allocator);
            window = new BatchWindow(decoded.root());
            listener.start(window, result.dictionaries());
        }
        batch = pulled.join();
        pulled = CompletableFuture.completedFuture(null);
        if (batch == null || batch.rows() == 0) {
            return 0;
        }
        long bytes = RelayedBatch.messageBytes(batch, BatchNumbers.of(result));
        if (bytes > MAX_MESSAGE_BYTES) {
            Objects.requireNonNull(decoded).load(batch);
            batch.close();
            batch = null;
            window.batchLoaded();
        }
        return bytes;
    }

    @Override
    public boolean send() {
        EncodedBatch whole = batch;
        if (whole != null) {
            batch = null;
            if (whole.rows() == 0) {
                whole.close();
                return true;
            }
            call.relay(new RelayedBatch(whole, BatchNumbers.of(result)));
            return true;
        }
        BatchWindow slices = Objects.requireNonNull(window);
        if (slices.hasNext()) {
            slices.showNext(() -> BatchNumbers.put(result, listener, allocator));
        }
        if (slices.hasNext()) {
            return false;
        }
        Objects.requireNonNull(decoded).clear();
        return true;
    }

    @Override
    public void close() {
        if (decoded != null) {
            decoded.close();
        }
        if (batch != null) {
            batch.close();
            batch = null;
        }
        var unused = pulled.thenAccept(late -> {
            if (late != null) {
                late.close();
            }
        });
    }
}
