package dev.weir.gateway.http;

import dev.weir.engine.EncodedBatch;
import dev.weir.gateway.query.GatewayException;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;

/**
 * Turns a result into bytes of one format, resumable at any row or buffer so that a chunk is filled only when the
 * connection takes it. One thread at a time. Failures are {@link GatewayException}s.
 */
interface ResultEncoder extends AutoCloseable {

    /** Writes what comes before the first batch. Called once, first. */
    void begin();

    /** Takes the first {@code rows} rows of a batch; they must stay valid until {@link #encode} gave true. */
    void batch(VectorSchemaRoot root, DictionaryProvider dictionaries, int rows);

    /**
     * Takes a whole batch as it came, where the format can take it over ({@link ResultFormat#takesEncoded}). Owns it from
     * then on, also when this fails.
     */
    default void batch(EncodedBatch batch, DictionaryProvider dictionaries) {
        batch.close();
        throw new UnsupportedOperationException("an encoded batch");
    }

    /** Writes until a chunk is full or the batch is through; true for the latter. */
    boolean encode();

    /**
     * Writes what comes after the last batch.
     *
     * @param rows in total
     * @param truncated whether a row limit left rows out
     */
    void end(long rows, boolean truncated);

    /**
     * Writes the failure into the body, where the format has a place for one.
     *
     * @return false when it has not
     */
    default boolean fail(GatewayException failure) {
        return false;
    }

    /** Gives back what the current batch holds. */
    @Override
    default void close() {}
}
