package dev.weir.engine.cluster;

import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineCall;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A query that is being opened on one of the workers. Thread-safe. */
final class PlacedRun implements EngineCall<ArrowResult> {

    private final Tries tries;
    private final CompletableFuture<ArrowResult> result = new CompletableFuture<>();
    private final CompletableFuture<Void> stopped = new CompletableFuture<>();

    private PlacedRun(Tries tries) {
        this.tries = tries;
    }

    static PlacedRun start(Tries tries) {
        PlacedRun run = new PlacedRun(tries);
        tries.open().whenComplete((opened, thrown) -> {
            if (opened == null) {
                run.failed(thrown);
                return;
            }
            PlacedResult placed = new PlacedResult(tries, opened);
            if (run.result.complete(placed)) {
                run.stopped.complete(null);
            } else {
                placed.close();
                placed.stopped().whenComplete((nothing, never) -> run.stopped.complete(null));
            }
        });
        return run;
    }

    private void failed(Throwable thrown) {
        result.completeExceptionally(Tries.engineFailure(thrown));
        tries.idle().whenComplete((nothing, never) -> stopped.complete(null));
    }

    @Override
    public CompletionStage<ArrowResult> result() {
        return result;
    }

    @Override
    public void cancel() {
        if (result.completeExceptionally(Tries.cancelled())) {
            tries.cancel();
        }
    }

    @Override
    public CompletionStage<Void> stopped() {
        return stopped;
    }
}
