package dev.weir.gateway.query;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.engine.ArrowResult;
import dev.weir.engine.EncodedBatch;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
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
 * <p>A batch in the reader's hands is never freed under it: an abort from outside closes the result only while the engine
 * works or nobody has begun to read. While the reader works on a batch the engine does nothing; the reader hears of the
 * abort by {@link #aborted()} and closes. One rule for both ways of pulling; an encoded batch is the reader's own besides,
 * whatever becomes of the result.
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

        /**
         * The engine failed before anything was handed to the reader.
         *
         * @return null when the query fails by that; else completes with another result of the same statement, whose
         *     owner the stream is then, or not at all when the query ends first
         */
        default @Nullable CompletionStage<ArrowResult> again(Throwable thrown) {
            return null;
        }

        /** The engine failed; returns what the client shall see. */
        GatewayException failed(Throwable thrown);

        /** The reader is done. */
        void readerDone(boolean complete);
    }

    private volatile @Nullable String format;
    private final Owner owner;
    private final Schema schema;
    private volatile ArrowResult result;
    private final CompletableFuture<GatewayException> aborted = new CompletableFuture<>();

    @GuardedBy("this")
    private Turn turn = Turn.IDLE;

    @GuardedBy("this")
    private @Nullable GatewayException abort;

    @GuardedBy("this")
    private boolean complete;

    /** Whether the reader has got anything: then what it reads cannot begin anew. */
    @GuardedBy("this")
    private boolean begun;

    @GuardedBy("this")
    private long progressAt;

    @GuardedBy("this")
    private long progressBytes;

    RunStream(Owner owner, ArrowResult result) {
        this.owner = owner;
        this.result = result;
        this.schema = result.schema();
        this.progressAt = owner.nanoTime();
    }

    @Override
    public Schema schema() {
        return schema;
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
        return pull(new Pull.Loading());
    }

    @Override
    public boolean givesEncoded() {
        return result.givesEncoded();
    }

    @Override
    public CompletionStage<@Nullable EncodedBatch> nextEncoded() {
        return pull(new Pull.Relaying());
    }

    private <T extends @Nullable Object> CompletionStage<T> pull(Pull<T> pull) {
        synchronized (this) {
            if (abort != null) {
                closeResult();
                return CompletableFuture.failedFuture(abort);
            }
            if (turn == Turn.SLOT || turn == Turn.ENGINE || turn == Turn.CLOSED) {
                throw new IllegalStateException("next() while " + turn);
            }
            if (complete) {
                pull.end();
                return pull.handed;
            }
            turn = Turn.SLOT;
        }
        CompletionStage<Void> slot = owner.pulled();
        if (slot == null) {
            load(pull);
        } else {
            // An end that comes first tells the reader at once; the slot's own stage may take longer.
            aborted.thenAccept(pull.handed::completeExceptionally);
            slot.whenComplete((nothing, gone) -> {
                if (gone == null || hasEnded()) {
                    load(pull);
                } else {
                    failed(gone, pull);
                }
            });
        }
        return pull.handed;
    }

    private synchronized boolean hasEnded() {
        return abort != null || turn == Turn.CLOSED;
    }

    /** Asks the engine, unless the query ended while it waited for its slot: then its result may be closed already. */
    private <T extends @Nullable Object> void load(Pull<T> pull) {
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
            pull.handed.completeExceptionally(lost);
            return;
        }
        ask(pull);
    }

    private <T extends @Nullable Object> void ask(Pull<T> pull) {
        pull.ask(result).whenComplete((given, thrown) -> {
            if (thrown == null) {
                loaded(given, pull.isBatch(given), pull);
            } else {
                askedInVain(thrown, pull);
            }
        });
    }

    /** The engine failed; another result may take the place of this one. */
    private void askedInVain(Throwable thrown, Pull<?> pull) {
        boolean mayBeginAnew;
        synchronized (this) {
            mayBeginAnew = !begun && abort == null && turn == Turn.ENGINE;
        }
        CompletionStage<ArrowResult> other = mayBeginAnew ? owner.again(thrown) : null;
        if (other == null) {
            failed(thrown, pull);
            return;
        }
        aborted.thenAccept(pull.handed::completeExceptionally);
        other.thenAccept(given -> beginAnew(given, pull));
    }

    private void beginAnew(ArrowResult given, Pull<?> pull) {
        boolean ended;
        synchronized (this) {
            ended = hasEnded();
            if (!ended) {
                result = given;
            }
        }
        if (ended) {
            given.close();
        } else if (given.schema().equals(schema)) {
            ask(pull);
        } else {
            failed(new EngineException(EngineFailure.LOST, "The result changed while the statement ran again."), pull);
        }
    }

    private void failed(Throwable thrown, Pull<?> pull) {
        GatewayException failure = owner.failed(thrown);
        synchronized (this) {
            if (turn == Turn.ENGINE || turn == Turn.SLOT) {
                turn = Turn.IDLE;
            }
            if (abort == null) {
                abort = failure;
            }
        }
        pull.handed.completeExceptionally(failure);
    }

    /** Hands over what the engine gave; gives it back when the query ended, or its reader left, meanwhile. */
    private <T extends @Nullable Object> void loaded(T given, boolean more, Pull<T> pull) {
        GatewayException lost;
        synchronized (this) {
            lost = turn == Turn.CLOSED && abort == null
                    ? new GatewayException(GatewayErrorCode.CANCELLED, "The result was closed.")
                    : abort;
            if (lost == null) {
                turn = Turn.READER;
                begun = true;
                complete = !more;
                progress();
            }
        }
        if (lost != null) {
            pull.giveBack(given);
            pull.handed.completeExceptionally(lost);
            return;
        }
        if (more) {
            owner.handed(pull.rows(result, given));
        }
        if (!pull.handed.complete(given)) {
            pull.giveBack(given);
        }
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
    public void format(String name) {
        format = name;
    }

    /** In which format its client gets it; null while nobody said. */
    @Nullable
    String format() {
        return format;
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

    /** Ends the stream from outside: now, or when the reader holds no batch any more. */
    void abort(GatewayException failure) {
        synchronized (this) {
            if (turn == Turn.CLOSED) {
                return;
            }
            if (abort == null) {
                abort = failure;
            }
            // A cancel would free the batch with everything else.
            if (turn != Turn.READER) {
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
