package dev.weir.admission;

import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Decides when a query may run.
 *
 * <p>Thread-safe; no method blocks. Callbacks (the stages' continuations, the listener) run after the lock is given
 * back, on the executor given to the controller.
 */
public interface AdmissionController {

    /**
     * Asks for a permit. A query that cannot be queued is refused through the returned stage, never by an exception
     * thrown here.
     */
    Admission admit(AdmissionRequest request);

    /** What runs, waits and is reserved at this moment; consistent in itself. */
    AdmissionSnapshot snapshot();

    /** The wait of one query as it stands; empty when it does not wait. */
    Optional<WaitInfo> waitInfo(String queryId);

    /** Replaces the limits. What runs stays counted; a lower cap drains, a higher one grants at once. */
    void update(AdmissionLimits limits);

    /** Refuses new queries and those that wait with DRAINING; completes when the last permit is closed. */
    CompletionStage<Void> drain();
}
