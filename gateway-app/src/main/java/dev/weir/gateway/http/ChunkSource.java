package dev.weir.gateway.http;

import dev.weir.engine.EncodedBatch;
import dev.weir.gateway.query.GatewayException;
import dev.weir.gateway.query.ResultStream;
import io.netty.buffer.ByteBuf;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The encoded result as chunks: pulls batches and encodes them, no further than the chunk that is asked for. Owns stream,
 * encoder and output. One thread at a time, but for the stream's answers.
 */
final class ChunkSource implements AutoCloseable {

    /** From this size on a chunk goes although more would fit, when the engine has no next batch ready. */
    private static final int EARLY_BYTES = 64 << 10;

    private final ResultStream stream;
    private final ResultEncoder encoder;
    private final ChunkOutput out;

    private final boolean encoded;

    private CompletableFuture<@Nullable EncodedBatch> relayed = CompletableFuture.completedFuture(null);
    private volatile @Nullable Boolean pulled;
    private boolean pulling;
    private boolean begun;
    private boolean encodingBatch;
    private boolean ended;
    private boolean truncated;
    private boolean limited;
    private long rows;
    private long rowsLeft;

    /**
     * @param out what the encoder writes to
     * @param rowLimit rows after which the result is declared complete
     * @param encoded whether the encoder takes batches as they came; there is no row limit then
     */
    ChunkSource(LoadedResult result, ResultEncoder encoder, ChunkOutput out, long rowLimit, boolean encoded) {
        this.stream = result.stream();
        this.encoder = encoder;
        this.out = out;
        this.rowsLeft = rowLimit;
        this.encoded = encoded && stream.givesEncoded();
        this.relayed = CompletableFuture.completedFuture(result.encoded());
        this.pulling = true;
        this.pulled = result.batchLoaded();
        this.truncated = result.truncated();
    }

    ResultStream stream() {
        return stream;
    }

    /**
     * The next chunk; the caller owns it.
     *
     * @param ready runs when the engine has a batch after null was given, on any thread
     * @param failed likewise when it fails
     * @return null when the engine must come first, or when nothing is left
     */
    @Nullable
    ByteBuf next(Runnable ready, Consumer<GatewayException> failed) {
        if (!begun) {
            begun = true;
            encoder.begin();
        }
        while (true) {
            ByteBuf full = out.pollFull();
            if (full != null) {
                return full;
            }
            if (ended) {
                return out.pollPartial();
            }
            if (encodingBatch) {
                encodeSome();
                continue;
            }
            if (!pulling) {
                pull(ready, failed);
            }
            Boolean more = pulled;
            if (more == null) {
                return out.partial() >= EARLY_BYTES ? out.pollPartial() : null;
            }
            pulled = null;
            pulling = false;
            loaded(more);
        }
    }

    /** Whether a row limit left rows out, here or when the result was stored. */
    boolean truncated() {
        return truncated;
    }

    /** Whether every chunk was given. */
    boolean exhausted() {
        return ended && !out.hasFull() && out.partial() == 0;
    }

    /**
     * Lets the encoder write the failure into the body.
     *
     * @return false when the format, or the place where it broke, does not allow it
     */
    boolean writeFailure(GatewayException failure) {
        encoder.close();
        encodingBatch = false;
        ended = encoder.fail(failure);
        return ended;
    }

    private void pull(Runnable ready, Consumer<GatewayException> failed) {
        pulling = true;
        CompletionStage<Boolean> coming;
        if (encoded) {
            relayed = stream.nextEncoded().toCompletableFuture();
            coming = relayed.thenApply(Objects::nonNull);
        } else {
            coming = stream.next();
        }
        coming.whenComplete((more, thrown) -> {
            if (thrown != null) {
                failed.accept(Problems.of(thrown));
            } else {
                pulled = more;
                ready.run();
            }
        });
    }

    private void loaded(boolean more) {
        EncodedBatch batch = relayed.join();
        relayed = CompletableFuture.completedFuture(null);
        if (batch != null && batch.rows() == 0) {
            batch.close();
        } else if (batch != null) {
            rows += batch.rows();
            encodingBatch = true;
            encoder.batch(batch, stream.dictionaries());
        } else if (more) {
            loadedRows();
        } else {
            end();
        }
    }

    private void loadedRows() {
        int count = stream.root().getRowCount();
        int taken = (int) Math.min(count, rowsLeft);
        limited = taken < count;
        truncated |= limited;
        rowsLeft -= taken;
        rows += taken;
        if (taken > 0) {
            encoder.batch(stream.root(), stream.dictionaries(), taken);
            encodingBatch = true;
        } else if (limited) {
            endEarly();
        }
    }

    private void encodeSome() {
        if (encoder.encode()) {
            encodingBatch = false;
            if (limited) {
                endEarly();
            }
        }
    }

    private void endEarly() {
        stream.finishEarly();
        end();
    }

    private void end() {
        encoder.end(rows, truncated);
        ended = true;
    }

    @Override
    public void close() {
        encoder.close();
        // One that was not encoded yet, or comes only now.
        var unused = relayed.thenAccept(batch -> {
            if (batch != null) {
                batch.close();
            }
        });
        out.release();
        stream.close();
    }
}
