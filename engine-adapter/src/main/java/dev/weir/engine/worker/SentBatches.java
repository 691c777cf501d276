package dev.weir.engine.worker;

import dev.weir.engine.EncodedBatch;
import dev.weir.engine.wire.Frame;
import dev.weir.engine.wire.Wire;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import org.apache.arrow.vector.VectorSchemaRoot;

/**
 * The batches of one result that its gateway has not confirmed, as retained buffers of the engine. Some of them may not
 * have been sent on the present call. Not thread-safe.
 */
final class SentBatches {

    private final long windowBytes;
    private final Deque<HeldBatch> held = new ArrayDeque<>();
    private long bytes;
    private long largest;
    private long confirmed;
    private long produced;
    private long unsent;

    SentBatches(long windowBytes) {
        this.windowBytes = windowBytes;
    }

    /** Whether another batch, as large as any so far, may be held; one always may. */
    boolean hasRoom() {
        return held.isEmpty() || bytes + largest <= windowBytes;
    }

    /**
     * Retains what is in the root now.
     *
     * @throws dev.weir.engine.EngineException TOO_LARGE for what no message holds
     */
    void add(VectorSchemaRoot root) {
        add(HeldBatch.retain(produced, root));
    }

    /** Takes a batch over. */
    void add(EncodedBatch batch) throws IOException {
        add(HeldBatch.take(produced, batch));
    }

    private void add(HeldBatch batch) {
        if (batch.length() > Wire.MAX_PART_BYTES) {
            batch.close();
            throw Failures.tooLarge();
        }
        held.addLast(batch);
        bytes += batch.length();
        largest = Math.max(largest, batch.length());
        produced++;
    }

    /** How many batches there were so far. */
    long produced() {
        return produced;
    }

    boolean hasUnsent() {
        return unsent < produced;
    }

    /** The next batch to send on the present call. */
    Frame next() {
        int skip = (int) (unsent - confirmed);
        Iterator<HeldBatch> from = held.iterator();
        for (int i = 0; i < skip; i++) {
            from.next();
        }
        unsent++;
        return from.next().frame();
    }

    /** Gives back the batches before this one. */
    void confirm(long next) {
        while (confirmed < next && !held.isEmpty()) {
            HeldBatch first = held.removeFirst();
            bytes -= first.length();
            first.close();
            confirmed++;
        }
        unsent = Math.max(unsent, confirmed);
    }

    /**
     * Goes back, so that the next one to send is this.
     *
     * @return false where that batch is not held any more, or does not exist yet
     */
    boolean rewind(long next) {
        if (next < confirmed || next > produced) {
            return false;
        }
        confirm(next);
        unsent = next;
        return true;
    }

    /** Gives all back. */
    void release() {
        for (HeldBatch one : held) {
            one.close();
        }
        held.clear();
        bytes = 0;
        confirmed = produced;
        unsent = produced;
    }
}
