package dev.weir.gateway.cli.simulate;

import dev.weir.admission.AdmissionLimits;
import java.time.Duration;

/** Baseline without a queue: what finds no slot or no memory free is refused. */
final class RejectAtCapPolicy implements Policy {

    /** What clients of a server that says no more than "busy" wait before they try again. */
    static final Duration RETRY_AFTER = Duration.ofSeconds(1);

    private final Room room;
    private final Decisions decisions;

    RejectAtCapPolicy(AdmissionLimits limits, Decisions decisions) {
        this.room = new Room(limits);
        this.decisions = decisions;
    }

    @Override
    public void submit(SimulatedQuery query) {
        if (!Room.everFits(query)) {
            decisions.refused(query, Duration.ZERO);
        } else if (room.fits(query)) {
            room.take(query);
            decisions.granted(query);
        } else {
            decisions.refused(query, RETRY_AFTER);
        }
    }

    @Override
    public void finished(SimulatedQuery query) {
        room.giveBack(query);
    }

    @Override
    public int inLane() {
        return 0;
    }
}
