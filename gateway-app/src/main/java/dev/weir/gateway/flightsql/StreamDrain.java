package dev.weir.gateway.flightsql;

import dev.weir.gateway.query.ResultStream;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/** Reads a result to its end for its effect, and counts the rows it gave. */
final class StreamDrain {

    private final ResultStream stream;
    private final CompletableFuture<Long> done = new CompletableFuture<>();
    private long rows;

    private StreamDrain(ResultStream stream) {
        this.stream = stream;
    }

    /** The caller closes the stream. */
    static CompletionStage<Long> rowsOf(ResultStream stream) {
        StreamDrain drain = new StreamDrain(stream);
        drain.pull();
        return drain.done;
    }

    /** A loop over what is there at once; goes on in the continuation of what is not, so the stack stays flat. */
    private void pull() {
        while (true) {
            CompletableFuture<Boolean> next = stream.next().toCompletableFuture();
            if (!next.isDone()) {
                var unused = next.whenComplete((more, failure) -> {
                    if (accept(next)) {
                        pull();
                    }
                });
                return;
            }
            if (!accept(next)) {
                return;
            }
        }
    }

    private boolean accept(CompletableFuture<Boolean> next) {
        try {
            if (next.join()) {
                rows += stream.root().getRowCount();
                stream.delivered(0);
                return true;
            }
            done.complete(rows);
        } catch (CompletionException e) {
            done.completeExceptionally(e.getCause() != null ? e.getCause() : e);
        } catch (RuntimeException e) {
            done.completeExceptionally(e);
        }
        return false;
    }
}
