package dev.weir.gateway.query;

import dev.weir.engine.EncodedBatch;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** One pull of a partition: how the result is asked, and what the partition's reader gets. */
abstract class PartitionPull {

    final Partition by;

    PartitionPull(Partition by) {
        this.by = by;
    }

    /** Asks the result; gives whether there is a batch. */
    abstract CompletionStage<Boolean> ask(ResultStream from);

    /** Takes the batch out of the result, which may be asked for the next one then. */
    abstract void take(ResultStream from, long number);

    /** Gives the reader what was taken. */
    abstract void hand();

    abstract void end();

    abstract void fail(GatewayException why);

    /** Gives back a batch that nobody took. */
    void discard() {}

    /** A batch into the partition's root. */
    static final class Loading extends PartitionPull {
        final CompletableFuture<Boolean> handed = new CompletableFuture<>();

        Loading(Partition by) {
            super(by);
        }

        @Override
        CompletionStage<Boolean> ask(ResultStream from) {
            return from.next();
        }

        @Override
        void take(ResultStream from, long number) {
            by.take(from.root(), number);
        }

        @Override
        void hand() {
            handed.complete(true);
        }

        @Override
        void end() {
            by.ended();
            handed.complete(false);
        }

        @Override
        void fail(GatewayException why) {
            handed.completeExceptionally(why);
        }
    }

    /** A batch as it came. */
    static final class Relaying extends PartitionPull {
        final CompletableFuture<@Nullable EncodedBatch> handed = new CompletableFuture<>();
        private volatile @Nullable EncodedBatch batch;

        Relaying(Partition by) {
            super(by);
        }

        @Override
        CompletionStage<Boolean> ask(ResultStream from) {
            return from.nextEncoded().thenApply(given -> {
                batch = given;
                return given != null;
            });
        }

        @Override
        void take(ResultStream from, long number) {
            by.number(number);
        }

        @Override
        void hand() {
            if (!handed.complete(batch)) {
                discard();
            }
        }

        @Override
        void end() {
            by.ended();
            handed.complete(null);
        }

        @Override
        void fail(GatewayException why) {
            handed.completeExceptionally(why);
        }

        @Override
        void discard() {
            EncodedBatch unread = batch;
            if (unread != null) {
                unread.close();
            }
        }
    }
}
