package dev.weir.gateway.query;

import dev.weir.engine.EncodedBatch;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/**
 * The result of an admitted query, pulled batch by batch. Pulling is the back-pressure: nothing is read ahead.
 *
 * <p>One reader at a time. The permit is held until {@link #close()}, so close it when the last batch was handed to the
 * client, not before. Between a batch and the next pull the client-stall clock runs; {@link #delivered} restarts it.
 */
public interface ResultStream extends AutoCloseable {

    Schema schema();

    /** One root, refilled by each {@link #next()}; the stream owns it. Encode or retain before the next pull. */
    VectorSchemaRoot root();

    DictionaryProvider dictionaries();

    /** Rows changed by the statement, when it changes rows. */
    OptionalLong updateCount();

    /**
     * Loads the next batch into {@link #root()}.
     *
     * @return true with a batch, false at the end; fails with a {@link GatewayException}. Continuations run on an engine
     *     thread and must not block
     */
    CompletionStage<Boolean> next();

    /** Whether {@link #nextEncoded} works: the engine's batches come encoded from elsewhere. Constant. */
    default boolean givesEncoded() {
        return false;
    }

    /**
     * Gives the next batch as it came, under the rules of {@link #next()}. The two may be mixed, batch by batch; what is in
     * the {@link #root()} is not touched.
     *
     * @return null at the end; the caller owns the batch and closes it
     * @throws UnsupportedOperationException unless {@link #givesEncoded()}
     */
    default CompletionStage<@Nullable EncodedBatch> nextEncoded() {
        throw new UnsupportedOperationException("Batches are not encoded");
    }

    /** Which batch of the whole result the last pull gave, from 0, where that was asked for. */
    default OptionalLong batchNumber() {
        return OptionalLong.empty();
    }

    /**
     * Completes with the failure when the query ends for any reason other than its reader: a timeout, a stall, a cancel.
     * A front that waits for its client's demand aborts the connection then and closes this stream; while it holds a
     * batch it finishes with it first.
     */
    CompletionStage<GatewayException> aborted();

    /** Tells that this many bytes reached the client's socket: progress for the stall clock, and for the counts. */
    void delivered(long bytes);

    /**
     * In which format its client gets it, for the counts.
     *
     * @param name one of a small fixed set
     */
    default void format(String name) {}

    /** Declares the result complete although the engine has more (a row limit): {@code close} then counts as finished. */
    void finishEarly();

    /**
     * The reader is done. After the end it finishes the query; before, it cancels it with
     * {@link CancelReason#CLIENT_GONE}. Idempotent; returns at once.
     */
    @Override
    void close();
}
