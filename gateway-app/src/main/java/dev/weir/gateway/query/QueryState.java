package dev.weir.gateway.query;

/** The states of a query. */
public enum QueryState {
    /** Accepted; being described or waiting for a permit. */
    QUEUED(false),
    /** Has a permit; the engine works towards the first batch. */
    RUNNING(false),
    /** Batches go to the client. */
    STREAMING(false),
    /** Its reader has paused for so long that the slot is lent to others; goes on when the reader does. */
    PAUSED(false),
    /** To be cancelled; the engine has not stopped yet. */
    CANCELLING(false),
    FINISHED(true),
    FAILED(true),
    CANCELLED(true);

    private final boolean done;

    QueryState(boolean done) {
        this.done = done;
    }

    /** Whether this is the end. */
    public boolean isDone() {
        return done;
    }
}
