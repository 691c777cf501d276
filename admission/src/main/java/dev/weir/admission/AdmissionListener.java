package dev.weir.admission;

/**
 * Told of decisions, for metrics and logs. Called after the lock is given back; must not block. An exception of a
 * listener is swallowed and counted, it never reaches the query.
 */
public interface AdmissionListener {

    /** A listener that does nothing. */
    AdmissionListener NONE = new AdmissionListener() {};

    default void queued(AdmissionRequest request) {}

    default void granted(AdmissionRequest request, RunPermit permit) {}

    default void rejected(AdmissionRequest request, Rejection rejection) {}

    default void cancelled(AdmissionRequest request) {}

    /** A running query lent its slot, since its reader pauses. */
    default void paused(AdmissionRequest request) {}

    /** A paused query has a slot again. */
    default void resumed(AdmissionRequest request) {}

    /** A query left the lane for short queries because it took too long, and counts among all. */
    default void overran(AdmissionRequest request) {}

    /**
     * A query gave slot and reservation back without having run and waits again; what becomes of it is told as of any
     * other, but not that it is queued.
     */
    default void returned(AdmissionRequest request) {}

    default void released(AdmissionRequest request, RunPermit.Outcome outcome, long heldNanos) {}
}
