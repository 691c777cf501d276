package dev.weir.gateway.flightsql;

import dev.weir.gateway.query.BufferCompression;
import dev.weir.gateway.query.ResultStream;
import java.util.concurrent.CompletionStage;
import org.apache.arrow.flight.FlightProducer.ServerStreamListener;
import org.apache.arrow.memory.BufferAllocator;

/** The batches of one result on their way into one call. One thread at a time; {@link #load}'s answer comes on any. */
interface Batches extends AutoCloseable {

    /** Pulls the next batch; completes with false at the end. What was loaded before must be sent. */
    CompletionStage<Boolean> load();

    /**
     * The batch that {@link #load} gave is next to be sent; the call is started with the first, when the dictionaries are
     * there too, or with the end.
     *
     * @param more what {@link #load} gave
     * @return size of the batch in bytes, 0 at the end
     */
    long loaded(boolean more);

    /** Hands the next part of the batch to the transport. @return whether that was the last part */
    boolean send();

    /** Gives back what was loaded and is not sent, also when it comes only later. Idempotent. */
    @Override
    void close();

    /**
     * The way that suits the result.
     *
     * @param allocator for batches that must be decoded or compressed, and for their numbers
     */
    static Batches of(
            ResultStream result,
            ServerStreamListener listener,
            CallState call,
            BufferAllocator allocator,
            BufferCompression compression) {
        if (compression != BufferCompression.NONE) {
            return new CompressedBatches(result, listener, call, allocator, compression);
        }
        return result.givesEncoded()
                ? new RelayedBatches(result, listener, call, allocator)
                : new DecodedBatches(result, listener, allocator);
    }
}
