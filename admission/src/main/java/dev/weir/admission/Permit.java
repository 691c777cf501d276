package dev.weir.admission;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A slot and a reservation that one query holds. Closing is one compare-and-set: the first close gives everything back,
 * in whatever order and number success, failure, cancel, timeout and disconnect arrive. All that is not final is guarded
 * by the controller's lock.
 */
final class Permit implements RunPermit {

    /** Where it is counted. */
    enum Place {
        ALL,
        SHORT,
        PAUSED,
        RESUMING,
        GONE
    }

    final AdmissionRequest request;
    final Account account;

    /** As which it waited. */
    final Waiter waiter;

    final long grantedNanos;
    final double expectedNanos;

    private final QueryClass queryClass;
    private final long bytes;
    private final long queuedNanos;
    private final FairAdmissionController controller;
    private final AtomicBoolean closed = new AtomicBoolean();

    private volatile Place place;
    private volatile long peakBytes;

    /** Where it is charged, from when on, at which share, and what was charged in advance. */
    FairQueue chargedBy;

    long chargedSince;
    double chargedShare;
    double chargedAhead;

    /** Time without a slot, while its reader paused; and since when, if it is so now. */
    long pausedNanos;

    long pausedSince;

    /** Waits for a slot again. */
    @Nullable
    CompletableFuture<Void> resumed;

    Permit(Waiter waiter, Slots slots, FairQueue chargedBy, long now, FairAdmissionController controller) {
        this.waiter = waiter;
        this.request = waiter.request;
        this.account = waiter.account;
        this.grantedNanos = now;
        this.expectedNanos = waiter.expectedNanos;
        this.queryClass = waiter.queryClass;
        this.bytes = waiter.bytes;
        this.queuedNanos = Math.max(0, now - waiter.arrivedNanos);
        this.controller = controller;
        this.place = slots == Slots.ALL ? Place.ALL : Place.SHORT;
        this.chargedBy = chargedBy;
        this.chargedSince = now;
    }

    Place place() {
        return place;
    }

    void place(Place now) {
        place = now;
    }

    /** Time that it has had a slot for. */
    long activeNanos(long now) {
        long idle = pausedNanos + (place == Place.PAUSED || place == Place.RESUMING ? now - pausedSince : 0);
        return Math.max(0, now - grantedNanos - idle);
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
        return account.group.name;
    }

    @Override
    public QueryClass queryClass() {
        return queryClass;
    }

    @Override
    public boolean inShortLane() {
        return place == Place.SHORT;
    }

    @Override
    public boolean pause() {
        return controller.pause(this);
    }

    @Override
    public CompletionStage<Void> resume() {
        return controller.resume(this);
    }

    @Override
    public boolean hasLearnedReservation() {
        return waiter.learnedBytes;
    }

    @Override
    public void measuredPeak(long bytes) {
        peakBytes = bytes;
    }

    /** Most memory it had, in bytes; less than 1 when that is not known. */
    long peakBytes() {
        return peakBytes;
    }

    @Override
    public Admission giveBack(Duration backoff) {
        return giveBack(backoff, false);
    }

    @Override
    public Admission giveBackForDefault() {
        return giveBack(Duration.ZERO, true);
    }

    private Admission giveBack(Duration backoff, boolean forDefault) {
        if (!closed.compareAndSet(false, true)) {
            return Waiter.again(waiter, this, grantedNanos).ended();
        }
        return controller.giveBack(this, backoff, forDefault);
    }

    @Override
    public void close(Outcome outcome) {
        if (closed.compareAndSet(false, true)) {
            controller.release(this, outcome);
        }
    }

    @Override
    public String toString() {
        return "permit of " + request.queryId();
    }
}
