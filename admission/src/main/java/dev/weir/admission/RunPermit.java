package dev.weir.admission;

import java.time.Duration;
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

    /** Whether the reservation is less than the default, since runs of the statement were measured to need less. */
    boolean hasLearnedReservation();

    /**
     * Gives slot and reservation back because the engine had no place and started nothing: the query waits again, at the
     * head of its user's queue and where it was in turn. It has what was left of its time to wait; it is charged nothing,
     * and nothing is learned from it. Until the backoff is over the engine is taken for full: others are granted only
     * what permits that are closed meanwhile set free.
     *
     * @param backoff the query is not granted sooner; at most a day, zero or less for at once
     * @return the wait; it ends as that of {@link AdmissionController#admit} does, at once with a
     *     {@link java.util.concurrent.CancellationException} when the permit is closed or given back already
     */
    Admission giveBack(Duration backoff);

    /**
     * Gives slot and reservation back because what was learned of the statement was too little memory: the query waits
     * again as after {@link #giveBack}, but among all, for the default reservation, with its whole time to wait. It is
     * charged for the time that it ran; nothing is learned from it.
     */
    Admission giveBackForDefault();

    /**
     * Notes the most memory that the query had at once, to be learned when the permit is closed; the last call counts.
     *
     * @param bytes as measured by the engine; less than 1 is ignored
     */
    void measuredPeak(long bytes);

    /** Gives slot and reservation back; later calls do nothing. */
    void close(Outcome outcome);
}
