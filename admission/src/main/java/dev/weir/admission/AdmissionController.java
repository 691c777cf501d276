package dev.weir.admission;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Decides when a query may run.
 *
 * <p>Thread-safe; no method blocks. Callbacks run after the lock is given back. A query granted or refused at once has
 * its stage complete when {@link #admit} returns. The continuations of one that waited run on the executor given to the
 * controller. The listener is called in the thread of the call that decided about its own query ({@code admit},
 * {@link RunPermit#close}), else on that executor, and for one query always in the order in which things happened.
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

    /**
     * Replaces the limits. What runs stays counted; a lower cap drains, a higher one grants at once. Those that wait keep
     * their deadline and their reservation, unless the reservation is now more than any query may have: then they are
     * refused. A shorter queue drains, too.
     */
    void update(AdmissionLimits limits);

    /**
     * What would happen to this query if it were submitted now. Changes nothing: takes no token of a rate, no place, and
     * tells no listener.
     */
    Explanation explain(AdmissionRequest request);

    /** What was learned about run times, the statements, users and groups seen last first. */
    List<RunTimeStats> history(int most);

    /**
     * Starts nothing, and lets what runs go on: for when the machine's memory is short, or no worker answers.
     *
     * @param reason what those that wait are told, {@link WaitReason#HELD} or {@link WaitReason#WORKERS}; null lets them
     *     start again
     */
    void hold(@Nullable WaitReason reason);

    /**
     * Whether a query that asks for no memory reserves what its statement was measured to need, where that is less than
     * the default; off at first. Only for an engine that holds each query to its reservation, and measures it.
     */
    void learnMemory(boolean learn);

    /**
     * Refuses new queries and those that wait with DRAINING, until {@link #resume}.
     *
     * @return completes when the last permit is closed; exceptionally when the drain is ended before
     */
    CompletionStage<Void> drain();

    /** Ends a drain: queries are taken again. Those that were refused meanwhile stay refused. */
    void resume();

    /** How often a listener threw; such exceptions are swallowed, they never reach a query. */
    default long listenerFailures() {
        return 0;
    }
}
