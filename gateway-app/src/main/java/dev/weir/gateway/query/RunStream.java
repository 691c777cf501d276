package dev.weir.gateway.query;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.engine.ArrowResult;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/**
 * The reader's side of one result. Owns the {@link ArrowResult} and closes it once.
 *
 * <p>A batch in the reader's hands is never freed under it: an abort from outside stops the engine at once, but closes
 * the result only when the reader is waiting, and otherwise leaves that to the reader's next call.
 */
final class RunStream implements ResultStream {

    /** Delivered bytes that count as progress of a slow reader, although its batch is not through. */
    private static final long PROGRESS_BYTES = 1 << 20;

    /** Whose turn it is. */
    private enum Turn {
        /** Nothing was pulled yet, or the pull has failed. */
        IDLE,
        /** The reader waits until its query has the slot again that it lent. */
        SLOT,
        /** The engine loads a batch. */
        ENGINE,
        /** The reader works on a batch, or has seen the end. */
        READER,
        CLOSED
    }

    /** What the stream tells its query. */
    interface Owner {
        long nanoTime();

        /**
         * The reader pulls; called without the stream's lock.
         *
         * @return null when the engine may be asked at once; else completes when it may
         */
        default @Nullable CompletionStage<Void> pulled() {
            return null;
        }

        /** Rows of a batch that is handed to the reader. */
        void handed(long rows);

        void sent(long bytes);

        /** The engine failed; returns what the client shall see. */
        GatewayException failed(Throwable thrown);

        /** The reader is done. */
        void readerDone(boolean complete);
    }

    private final Owner owner;
    private final ArrowResult result;
    private final CompletableFuture<GatewayException> aborted = new CompletableFuture<>();

    @GuardedBy("this")
    private Turn turn = Turn.IDLE;

    @GuardedBy("this")
    private @Nullable GatewayException abort;

    @GuardedBy("this")
    private boolean complete;

    @GuardedBy("this")
    private long progressAt;

    @GuardedBy("this")
    private long progressBytes;

    RunStream(Owner owner, ArrowResult result) {
        this.owner = owner;
        this.result = result;
        this.progressAt = owner.nanoTime();
    }

    @Override
    public Schema schema() {
        return result.schema();
    }

    @Override
    public VectorSchemaRoot root() {
        return result.root();
    }

    @Override
    public DictionaryProvider dictionaries() {
        return result.dictionaries();
    }

    @Override
    public OptionalLong updateCount() {
        return result.updateCount();
    }

    @Override
    public CompletionStage<GatewayException> aborted() {
        return aborted;
    }

    @Override
    public CompletionStage<Boolean> next() {
        synchronized (this) {
            if (abort != null) {
                closeResult();
                return CompletableFuture.failedFuture(abort);
            }
            if (turn == Turn.SLOT || turn == Turn.ENGINE || turn == Turn.CLOSED) {
                throw new IllegalStateException("next() while " + turn);
            }
            if (complete) {
                return CompletableFuture.completedFuture(false);
            }
            turn = Turn.SLOT;
        }
        CompletableFuture<Boolean> handed = new CompletableFuture<>();
        CompletionStage<Void> slot = owner.pulled();
        if (slot == null) {
            load(handed);
        } else {
            // An end that comes first tells the reader at once; the slot's own stage may take longer.
            aborted.thenAccept(handed::completeExceptionally);
            slot.whenComplete((nothing, gone) -> {
                if (gone == null || hasEnded()) {
                    load(handed);
                } else {
                    loaded(null, gone, handed);
                }
            });
        }
        return handed;
    }

    private synchronized boolean hasEnded() {
        return abort != null || turn == Turn.CLOSED;
    }

    /** Asks the engine, unless the query ended while it waited for its slot: then its result may be closed already. */
    private void load(CompletableFuture<Boolean> handed) {
        GatewayException lost;
        synchronized (this) {
            lost = abort;
            if (lost == null && turn == Turn.SLOT) {
                turn = Turn.ENGINE;
            } else if (lost == null) {
                lost = new GatewayException(GatewayErrorCode.CANCELLED, "The result was closed by its reader.");
            }
        }
        if (lost != null) {
            handed.completeExceptionally(lost);
            return;
        }
        result.next().whenComplete((more, thrown) -> loaded(more, thrown, handed));
    }

    private void loaded(@Nullable Boolean more, @Nullable Throwable thrown, CompletableFuture<Boolean> handed) {
        if (more == null) {
            GatewayException failure = owner.failed(thrown == null ? new IllegalStateException("no batch") : thrown);
            synchronized (this) {
                if (turn == Turn.ENGINE || turn == Turn.SLOT) {
                    turn = Turn.IDLE;
                }
                if (abort == null) {
                    abort = failure;
                }
            }
            handed.completeExceptionally(failure);
            return;
        }
        GatewayException lost;
        synchronized (this) {
            lost = turn == Turn.CLOSED && abort == null
                    ? new GatewayException(GatewayErrorCode.CANCELLED, "The result was closed.")
                    : abort;
            if (lost == null) {
                turn = Turn.READER;
                complete = !more;
                progress();
            }
        }
        if (lost != null) {
            handed.completeExceptionally(lost);
            return;
        }
        if (more) {
            owner.handed(result.root().getRowCount());
        }
        handed.complete(more);
    }

    @Override
    public void delivered(long bytes) {
        owner.sent(bytes);
        synchronized (this) {
            progressBytes += bytes;
            if (progressBytes >= PROGRESS_BYTES) {
                progress();
            }
        }
    }

    @Override
    public synchronized void finishEarly() {
        complete = true;
    }

    @Override
    public void close() {
        boolean all;
        synchronized (this) {
            if (turn == Turn.CLOSED) {
                return;
            }
            all = complete && abort == null;
        }
        owner.readerDone(all);
        synchronized (this) {
            closeResult();
        }
    }

    /** Ends the stream from outside. The engine stops now; memory goes when the reader holds no batch. */
    void abort(GatewayException failure) {
        synchronized (this) {
            if (turn == Turn.CLOSED) {
                return;
            }
            if (abort == null) {
                abort = failure;
            }
            if (turn == Turn.READER) {
                result.cancel();
            } else {
                closeResult();
            }
        }
        aborted.complete(failure);
    }

    /**
     * How long the reader has kept the query waiting, in nanoseconds: 0 while it is the engine's turn, or the
     * query waits for its slot.
     */
    synchronized long readerIdleNanos(long now) {
        return turn == Turn.IDLE || turn == Turn.READER ? now - progressAt : 0;
    }

    @GuardedBy("this")
    private void progress() {
        progressAt = owner.nanoTime();
        progressBytes = 0;
    }

    @GuardedBy("this")
    private void closeResult() {
        if (turn != Turn.CLOSED) {
            turn = Turn.CLOSED;
            result.close();
        }
    }
}
