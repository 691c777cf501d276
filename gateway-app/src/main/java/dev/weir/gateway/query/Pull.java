package dev.weir.gateway.query;

import dev.weir.engine.ArrowResult;
import dev.weir.engine.EncodedBatch;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** One pull of a reader that is under way: how the engine is asked, and what the reader gets. */
abstract class Pull<T extends @Nullable Object> {

    /** What the reader waits for. */
    final CompletableFuture<T> handed = new CompletableFuture<>();

    abstract CompletionStage<T> ask(ArrowResult result);

    /** Tells the reader of the end. */
    abstract void end();

    /** Whether that is a batch, not the end. */
    abstract boolean isBatch(T given);

    /** Rows of a batch that came. */
    abstract long rows(ArrowResult result, T given);

    /** The reader does not get it. */
    void giveBack(T given) {}

    /** A batch into the root. */
    static final class Loading extends Pull<Boolean> {
        @Override
        CompletionStage<Boolean> ask(ArrowResult result) {
            return result.next().thenApply(Objects::requireNonNull);
        }

        @Override
        void end() {
            handed.complete(false);
        }

        @Override
        boolean isBatch(Boolean given) {
            return given;
        }

        @Override
        long rows(ArrowResult result, Boolean given) {
            return result.root().getRowCount();
        }
    }

    /** A batch as it came. */
    static final class Relaying extends Pull<@Nullable EncodedBatch> {
        @Override
        CompletionStage<@Nullable EncodedBatch> ask(ArrowResult result) {
            return result.nextEncoded();
        }

        @Override
        void end() {
            handed.complete(null);
        }

        @Override
        boolean isBatch(@Nullable EncodedBatch given) {
            return given != null;
        }

        @Override
        long rows(ArrowResult result, @Nullable EncodedBatch given) {
            return given == null ? 0 : given.rows();
        }

        @Override
        void giveBack(@Nullable EncodedBatch given) {
            if (given != null) {
                given.close();
            }
        }
    }
}
