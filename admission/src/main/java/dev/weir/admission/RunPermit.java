package dev.weir.admission;

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

    /** Gives slot and reservation back; later calls do nothing. */
    void close(Outcome outcome);
}
