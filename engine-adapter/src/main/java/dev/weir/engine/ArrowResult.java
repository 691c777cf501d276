package dev.weir.engine;

import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A result that is read batch by batch.
 *
 * <p>The result owns its {@link #root()} and every buffer in it: one root for all batches, refilled by each
 * {@link #next()}. Whoever needs a batch for longer copies or retains it before the following {@code next()}. One reader
 * at a time; {@code cancel} and {@code close} come from any thread.
 */
public interface ArrowResult extends AutoCloseable {

    /** Schema of every batch; as sent to clients (columns already cast where Arrow could not carry them). */
    Schema schema();

    /** The one root; valid between a {@code next()} that gave true and the following call, or {@code close()}. */
    VectorSchemaRoot root();

    /** Dictionaries of the schema's encoded fields (ENUM columns); may be empty. */
    DictionaryProvider dictionaries();

    /**
     * Loads the next batch.
     *
     * @return a stage that gives false at the end; completes exceptionally with an {@link EngineException}. Calling it
     *     while an earlier stage is open is a programming error ({@link IllegalStateException})
     */
    CompletionStage<Boolean> next();

    /** Whether {@link #nextEncoded} works: the batches come encoded from elsewhere. Constant. */
    default boolean givesEncoded() {
        return false;
    }

    /**
     * Gives the next batch as it came, instead of loading it into {@link #root()}. The two ways of pulling may be mixed,
     * batch by batch.
     *
     * @return a stage that gives null at the end; the caller owns and closes the batch. Fails as {@link #next()} does
     * @throws UnsupportedOperationException unless {@link #givesEncoded()}
     */
    default CompletionStage<@Nullable EncodedBatch> nextEncoded() {
        throw new UnsupportedOperationException("Batches are not encoded");
    }

    /** Most memory that the query had at once, where that was measured; known at the end of the result. */
    default OptionalLong peakMemoryBytes() {
        return OptionalLong.empty();
    }

    /** Rows changed, for a statement that changes rows; known when the result exists. */
    OptionalLong updateCount();

    /**
     * Stops the engine's work on this result; returns at once. A pending {@code next()} fails with CANCELLED. What is in
     * {@link #root()} may be gone: only for a reader that waits, or has no use for it.
     */
    void cancel();

    /** Completes (never exceptionally) when the engine is idle for this result and its memory is given back. */
    CompletionStage<Void> stopped();

    /** Cancels what still runs and frees everything in the background; returns at once. Idempotent. */
    @Override
    void close();
}
