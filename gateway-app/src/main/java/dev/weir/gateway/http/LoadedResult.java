package dev.weir.gateway.http;

import dev.weir.gateway.query.ResultStream;
import java.util.concurrent.CompletionStage;
import org.apache.arrow.memory.BufferAllocator;

/**
 * A result whose first batch was pulled: from here on its first bytes are there.
 *
 * @param stream to be closed by the holder
 * @param batchLoaded what the first pull gave
 * @param truncated whether a row limit left rows out before
 */
record LoadedResult(ResultStream stream, boolean batchLoaded, boolean truncated) {

    /** Pulls the first batch. The stream is closed when that fails. */
    static CompletionStage<LoadedResult> of(ResultStream result, BufferAllocator allocator) {
        ResultStream stream = result.schema().getFields().isEmpty() ? new CountResult(result, allocator) : result;
        return stream.next()
                .thenApply(more -> new LoadedResult(stream, more, false))
                .whenComplete((loaded, thrown) -> {
                    if (thrown != null) {
                        stream.close();
                    }
                });
    }
}
