package dev.weir.gateway.http;

import dev.weir.engine.EncodedBatch;
import dev.weir.gateway.query.ResultStream;
import java.util.concurrent.CompletionStage;
import org.apache.arrow.memory.BufferAllocator;
import org.jspecify.annotations.Nullable;

/**
 * A result whose first batch was pulled: from here on its first bytes are there.
 *
 * @param stream closed by whoever takes the result over, or with it
 * @param batchLoaded what the first pull gave: whether there is a batch
 * @param encoded the batch, when it was pulled as it came; else it is in the stream's root. To be closed likewise
 * @param truncated whether a row limit left rows out before
 */
record LoadedResult(
        ResultStream stream, boolean batchLoaded, @Nullable EncodedBatch encoded, boolean truncated)
        implements AutoCloseable {

    /** A result whose first batch is in the stream's root. */
    LoadedResult(ResultStream stream, boolean batchLoaded, boolean truncated) {
        this(stream, batchLoaded, null, truncated);
    }

    /**
     * Pulls the first batch. The stream is closed when that fails.
     *
     * @param encoded whether batches are wanted as they came, where they came encoded
     */
    static CompletionStage<LoadedResult> of(ResultStream result, BufferAllocator allocator, boolean encoded) {
        ResultStream stream = result.schema().getFields().isEmpty() ? new CountResult(result, allocator) : result;
        CompletionStage<LoadedResult> first = encoded && stream.givesEncoded()
                ? stream.nextEncoded().thenApply(batch -> new LoadedResult(stream, batch != null, batch, false))
                : stream.next().thenApply(more -> new LoadedResult(stream, more, false));
        return first.whenComplete((loaded, thrown) -> {
            if (thrown != null) {
                stream.close();
            }
        });
    }

    /** Closes all of it, for a result that nobody takes. */
    @Override
    public void close() {
        if (encoded != null) {
            encoded.close();
        }
        stream.close();
    }
}
