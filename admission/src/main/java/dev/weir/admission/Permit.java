package dev.weir.admission;

import java.util.concurrent.atomic.AtomicReference;

/**
 * A slot and a reservation that one query holds. Closing is one compare-and-set: the first close gives everything back,
 * in whatever order and number success, failure, cancel, timeout and disconnect arrive.
 */
final class Permit implements RunPermit {

    private enum State {
        HELD,
        CLOSED
    }

    final AdmissionRequest request;
    final UserQueue user;
    final long grantedNanos;
    final double expectedNanos;

    /** What a second of holding costs: the larger of the share of the slots and the share of the memory. */
    final double share;

    private final long bytes;
    private final long queuedNanos;
    private final FairAdmissionController controller;
    private final AtomicReference<State> state = new AtomicReference<>(State.HELD);

    Permit(
            Waiter waiter,
            UserQueue user,
            double share,
            double expectedNanos,
            long now,
            FairAdmissionController controller) {
        this.request = waiter.request;
        this.user = user;
        this.grantedNanos = now;
        this.expectedNanos = expectedNanos;
        this.share = share;
        this.bytes = waiter.bytes;
        this.queuedNanos = Math.max(0, now - waiter.arrivedNanos);
        this.controller = controller;
    }

    /** Virtual time charged when it is granted, before it is known how long it will be held. */
    double expectedCharge() {
        return share * expectedNanos;
    }

    @Override
    public long reservedBytes() {
        return bytes;
    }

    @Override
    public long queuedNanos() {
        return queuedNanos;
    }

    @Override
    public String group() {
        return "default";
    }

    @Override
    public QueryClass queryClass() {
        return QueryClass.HEAVY;
    }

    @Override
    public boolean inShortLane() {
        return false;
    }

    @Override
    public boolean pause() {
        return false;
    }

    @Override
    public java.util.concurrent.CompletionStage<Void> resume() {
        return java.util.concurrent.CompletableFuture.completedFuture(null);
    }

    @Override
    public void close(Outcome outcome) {
        if (state.compareAndSet(State.HELD, State.CLOSED)) {
            controller.release(this, outcome);
        }
    }

    @Override
    public String toString() {
        return "permit of " + request.queryId();
    }
}
