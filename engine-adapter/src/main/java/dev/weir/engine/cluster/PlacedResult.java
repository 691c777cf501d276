package dev.weir.engine.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.engine.ArrowResult;
import dev.weir.engine.EncodedBatch;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A result on one of the workers. Until its first batch, or its end, was delivered the worker may be lost without the
 * reader noticing: the query runs again elsewhere and its result takes the place of the first. After that the result is
 * bound to its worker, since another run may give its rows in another order.
 */
final class PlacedResult implements ArrowResult {

    /** How far the reader has come. */
    private enum Phase {
        /** Nothing was pulled. */
        UNREAD,
        /** The first pull is under way, here or elsewhere. */
        FIRST,
        /** Something was delivered. */
        BOUND,
        /** Closed, cancelled, or failed for good. */
        OVER
    }

    private final Tries tries;
    private final Schema schema;
    private final CompletableFuture<Void> stopped = new CompletableFuture<>();

    @GuardedBy("this")
    private Tries.Opened current;

    @GuardedBy("this")
    private Phase phase = Phase.UNREAD;

    /** The reader has seen what belongs to the first result alone. */
    @GuardedBy("this")
    private boolean seen;

    /** The query is being run again. */
    @GuardedBy("this")
    private boolean moving;

    PlacedResult(Tries tries, Tries.Opened opened) {
        this.tries = tries;
        this.current = opened;
        this.schema = opened.result().schema();
    }

    /** Tells that all workers are idle for the query, once nothing can run again. */
    private void settle() {
        synchronized (this) {
            if (moving || (phase != Phase.BOUND && phase != Phase.OVER)) {
                return;
            }
        }
        tries.idle().whenComplete((nothing, never) -> stopped.complete(null));
    }

    private synchronized Tries.Opened current() {
        return current;
    }

    @Override
    public Schema schema() {
        return schema;
    }

    @Override
    public synchronized VectorSchemaRoot root() {
        seen |= phase == Phase.UNREAD;
        return current.result().root();
    }

    @Override
    public synchronized DictionaryProvider dictionaries() {
        seen |= phase == Phase.UNREAD && hasDictionary(schema.getFields());
        return current.result().dictionaries();
    }

    private static boolean hasDictionary(Iterable<Field> fields) {
        for (Field field : fields) {
            if (field.getDictionary() != null || hasDictionary(field.getChildren())) {
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean givesEncoded() {
        return current().result().givesEncoded();
    }

    @Override
    public CompletionStage<Boolean> next() {
        return pull(ArrowResult::next);
    }

    @Override
    public CompletionStage<@Nullable EncodedBatch> nextEncoded() {
        return pull(ArrowResult::nextEncoded);
    }

    private <T extends @Nullable Object> CompletionStage<T> pull(Function<ArrowResult, CompletionStage<T>> how) {
        Tries.Opened from;
        synchronized (this) {
            from = current;
            if (phase == Phase.FIRST) {
                throw new IllegalStateException("The batch before is still being read");
            }
            if (phase == Phase.UNREAD) {
                phase = Phase.FIRST;
            } else {
                from = null;
            }
        }
        if (from == null) {
            return how.apply(current().result());
        }
        CompletableFuture<T> first = new CompletableFuture<>();
        pullFirst(from, how, first);
        return first;
    }

    private <T extends @Nullable Object> void pullFirst(
            Tries.Opened from, Function<ArrowResult, CompletionStage<T>> how, CompletableFuture<T> first) {
        CompletionStage<T> pulled;
        try {
            pulled = how.apply(from.result());
        } catch (RuntimeException e) {
            pulled = CompletableFuture.failedFuture(e);
        }
        pulled.whenComplete((value, thrown) -> {
            if (thrown == null) {
                enter(Phase.BOUND);
                first.complete(value);
                return;
            }
            EngineException failure = Tries.engineFailure(thrown);
            if (mayMove(failure)) {
                from.result().close();
                move(from, failure, how, first);
            } else {
                enter(Phase.OVER);
                first.completeExceptionally(failure);
            }
        });
    }

    private synchronized boolean mayMove(EngineException failure) {
        moving = phase == Phase.FIRST && !seen && Tries.mayGoElsewhere(failure.failure());
        return moving;
    }

    private <T extends @Nullable Object> void move(
            Tries.Opened from,
            EngineException because,
            Function<ArrowResult, CompletionStage<T>> how,
            CompletableFuture<T> first) {
        tries.reopen(from.member(), because).whenComplete((opened, thrown) -> {
            EngineException refused = take(opened, thrown);
            if (refused == null) {
                pullFirst(opened, how, first);
                return;
            }
            if (opened != null) {
                opened.result().close();
            }
            enter(Phase.OVER);
            first.completeExceptionally(refused);
        });
    }

    /** Puts another result in the place of the first. @return why it cannot be; null when it was */
    private synchronized @Nullable EngineException take(Tries.@Nullable Opened opened, @Nullable Throwable thrown) {
        moving = false;
        if (opened == null) {
            return Tries.engineFailure(thrown);
        }
        if (phase != Phase.FIRST) {
            return Tries.cancelled();
        }
        if (!opened.result().schema().equals(schema)) {
            return new EngineException(
                    EngineFailure.LOST, "The worker was lost, and another gives the result in another shape");
        }
        current = opened;
        return null;
    }

    private void enter(Phase next) {
        synchronized (this) {
            if (phase != Phase.OVER) {
                phase = next;
            }
        }
        settle();
    }

    @Override
    public OptionalLong peakMemoryBytes() {
        return current().result().peakMemoryBytes();
    }

    @Override
    public OptionalLong updateCount() {
        return current().result().updateCount();
    }

    @Override
    public void cancel() {
        end(ArrowResult::cancel);
    }

    @Override
    public CompletionStage<Void> stopped() {
        return stopped;
    }

    @Override
    public void close() {
        end(ArrowResult::close);
    }

    private void end(Consumer<ArrowResult> how) {
        enter(Phase.OVER);
        tries.cancel();
        how.accept(current().result());
        settle();
    }
}
