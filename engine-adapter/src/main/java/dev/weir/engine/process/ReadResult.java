package dev.weir.engine.process;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.engine.ArrowResult;
import dev.weir.engine.EncodedBatch;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/**
 * The result of a {@link ReadCall}: while nothing was given of it, the result of a second attempt may take its place.
 * Its root is the one of the attempt whose batch is read.
 */
final class ReadResult implements ArrowResult {

    private final Schema schema;
    private final CompletableFuture<Void> stopped = new CompletableFuture<>();

    private volatile LeasedResult rows;

    /** Null when the first attempt has given something, or there is no other. */
    @GuardedBy("this")
    private @Nullable Supplier<LeasedCall<ArrowResult>> anew;

    @GuardedBy("this")
    private @Nullable LeasedCall<ArrowResult> second;

    /** Attempts that have not stopped, and a pull that may make one. */
    @GuardedBy("this")
    private int underWay = 1;

    @GuardedBy("this")
    private boolean unwanted;

    /** @param anew starts the second attempt; null when there is none */
    ReadResult(LeasedResult rows, @Nullable Supplier<LeasedCall<ArrowResult>> anew) {
        this.rows = rows;
        this.schema = rows.schema();
        this.anew = anew;
        rows.stopped().whenComplete((nothing, none) -> leave());
    }

    private void leave() {
        boolean last;
        synchronized (this) {
            underWay--;
            last = underWay == 0;
        }
        if (last) {
            stopped.complete(null);
        }
    }

    private <T extends @Nullable Object> CompletionStage<T> pull(Function<LeasedResult, CompletionStage<T>> ask) {
        Supplier<LeasedCall<ArrowResult>> other;
        synchronized (this) {
            other = underWay > 0 ? anew : null;
            anew = null;
            underWay += other == null ? 0 : 1;
        }
        LeasedResult first = rows;
        CompletionStage<T> given = ask.apply(first);
        if (other == null) {
            return given;
        }
        CompletableFuture<T> told = new CompletableFuture<>();
        given.whenComplete((value, thrown) -> {
            if (thrown == null) {
                leave();
                told.complete(value);
            } else if (!first.mayHaveHadLess(thrown)) {
                leave();
                told.completeExceptionally(thrown);
            } else {
                first.close();
                first.stopped().whenComplete((nothing, none) -> begin(other, ChildFailures.root(thrown), ask, told));
            }
        });
        return told;
    }

    /** Runs the second attempt; {@link #underWay} counts it already. */
    private <T extends @Nullable Object> void begin(
            Supplier<LeasedCall<ArrowResult>> other,
            Throwable before,
            Function<LeasedResult, CompletionStage<T>> ask,
            CompletableFuture<T> told) {
        LeasedCall<ArrowResult> call = null;
        synchronized (this) {
            if (!unwanted) {
                call = other.get();
                second = call;
            }
        }
        if (call == null) {
            leave();
            told.completeExceptionally(before);
            return;
        }
        LeasedCall<ArrowResult> started = call;
        started.result().whenComplete((value, thrown) -> {
            if (value == null) {
                started.stopped().whenComplete((nothing, none) -> leave());
                told.completeExceptionally(ReadCall.told(ChildFailures.root(thrown), before));
            } else {
                opened((LeasedResult) value, ask, told);
            }
        });
    }

    private <T extends @Nullable Object> void opened(
            LeasedResult value, Function<LeasedResult, CompletionStage<T>> ask, CompletableFuture<T> told) {
        value.stopped().whenComplete((nothing, none) -> leave());
        boolean late;
        synchronized (this) {
            late = unwanted;
            if (!late) {
                rows = value;
            }
        }
        if (late) {
            value.close();
            told.completeExceptionally(ChildFailures.cancelled());
        } else if (!value.schema().equals(schema)) {
            told.completeExceptionally(
                    new EngineException(EngineFailure.LOST, "The result changed while the statement ran again"));
        } else {
            ask.apply(value).whenComplete((batch, thrown) -> {
                if (thrown == null) {
                    told.complete(batch);
                } else {
                    told.completeExceptionally(thrown);
                }
            });
        }
    }

    @Override
    public Schema schema() {
        return schema;
    }

    @Override
    public VectorSchemaRoot root() {
        return rows.root();
    }

    @Override
    public DictionaryProvider dictionaries() {
        return rows.dictionaries();
    }

    @Override
    public boolean givesEncoded() {
        return rows.givesEncoded();
    }

    @Override
    public CompletionStage<Boolean> next() {
        return pull(LeasedResult::next);
    }

    @Override
    public CompletionStage<@Nullable EncodedBatch> nextEncoded() {
        return pull(LeasedResult::nextEncoded);
    }

    @Override
    public OptionalLong peakMemoryBytes() {
        return rows.peakMemoryBytes();
    }

    @Override
    public OptionalLong updateCount() {
        return rows.updateCount();
    }

    /** No attempt begins any more; one that has not opened yet is cancelled. */
    private void giveUp() {
        LeasedCall<ArrowResult> call;
        synchronized (this) {
            unwanted = true;
            call = second;
        }
        if (call != null) {
            call.cancel();
        }
    }

    @Override
    public void cancel() {
        giveUp();
        rows.cancel();
    }

    @Override
    public CompletionStage<Void> stopped() {
        return stopped;
    }

    @Override
    public void close() {
        giveUp();
        rows.close();
    }
}
