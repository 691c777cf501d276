package dev.weir.admission;

import org.jspecify.annotations.Nullable;

/** One query in the {@link Reference}. */
final class ReferenceQuery {

    enum State {
        WAITS,
        RUNS,
        IN_LANE,
        PAUSED,
        RESUMING,
        ENDED
    }

    final AdmissionRequest request;
    final long sequence;
    final String group;
    final QueryClass queryClass;
    Slots slots;
    long bytes;
    boolean learned;
    long deadline;

    /** Sent back by the engine; not to be granted before. */
    long notBefore = Long.MIN_VALUE;

    State state = State.WAITS;

    /** Why it was refused, if it was. */
    @Nullable
    String refused;

    int passes;

    long granted;
    long pausedSince;
    long pausedFor;

    /** In which order of turns it is charged, since when, at which share, and what was charged in advance. */
    Slots chargedIn;

    long chargedSince;
    double share;
    double ahead;

    ReferenceQuery(
            AdmissionRequest request,
            long sequence,
            String group,
            QueryClass queryClass,
            Slots slots,
            long bytes,
            long deadline) {
        this.request = request;
        this.sequence = sequence;
        this.group = group;
        this.queryClass = queryClass;
        this.slots = slots;
        this.chargedIn = slots;
        this.bytes = bytes;
        this.deadline = deadline;
    }

    String id() {
        return request.queryId();
    }

    String user() {
        return request.user();
    }

    boolean is(State... states) {
        for (State each : states) {
            if (state == each) {
                return true;
            }
        }
        return false;
    }

    /** Time that it has had a slot for. */
    long active(long now) {
        long idle = pausedFor + (is(State.PAUSED, State.RESUMING) ? now - pausedSince : 0);
        return now - granted - idle;
    }
}
