package dev.weir.admission;

import java.util.concurrent.CompletionStage;

/** A run slot plus a memory reservation. Thread-safe. */
public interface RunPermit {

    /** Why a permit is given back; feeds the history of run times. */
    enum Outcome {
        FINISHED,
        FAILED,
        CANCELLED
    }

    /** Memory reserved for this query, in bytes. */
    long reservedBytes();

    /** Nanoseconds from the request to the grant. */
    long queuedNanos();

    /** The group whose limits count. */
    String group();

    /** What the query was taken for when it was granted. */
    QueryClass queryClass();

    /** Whether it holds a place in the lane for short queries now. */
    boolean inShortLane();

    /**
     * Lends the slot to others while the query's reader pauses; the reservation stays.
     *
     * @return false when the caps on paused queries do not allow it, or the permit is paused or closed already
     */
    boolean pause();

    /**
     * Takes a slot again, before any waiter gets one.
     *
     * @return completes when the query may go on, at once when it was not paused; with a
     *     {@link java.util.concurrent.CancellationException} when the permit is closed first. Continuations that had to
     *     wait run on the controller's executor
     */
    CompletionStage<Void> resume();

    /** Gives slot and reservation back; later calls do nothing. */
    void close(Outcome outcome);
}
