package dev.weir.gateway.cli.simulate;

import dev.weir.admission.AdmissionLimits;
import dev.weir.admission.Scheduler;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Baseline with a queue: whoever is first in line runs as soon as slot and memory allow it; nobody passes. Holds
 * {@code max-queued} and {@code queue-timeout}, but no cap of a user or group, and has no lane.
 */
final class QueueingPolicy implements Policy {

    private final AdmissionLimits limits;
    private final EventClock clock;
    private final Decisions decisions;
    private final Line line;
    private final Room room;
    private final Map<SimulatedQuery, Scheduler.Handle> timeouts = new HashMap<>();

    QueueingPolicy(AdmissionLimits limits, EventClock clock, Decisions decisions, Line line) {
        this.limits = limits;
        this.clock = clock;
        this.decisions = decisions;
        this.line = line;
        this.room = new Room(limits);
    }

    @Override
    public void submit(SimulatedQuery query) {
        if (!Room.everFits(query)) {
            decisions.refused(query, Duration.ZERO);
            return;
        }
        line.add(query);
        timeouts.put(query, clock.schedule(() -> giveUp(query), nanos(query.groupLimits.queueTimeout())));
        dispatch();
        if (timeouts.size() > limits.maxQueued()) {
            giveUp(query);
        }
    }

    private static long nanos(Duration duration) {
        try {
            return duration.toNanos();
        } catch (ArithmeticException forEver) {
            return Long.MAX_VALUE;
        }
    }

    @Override
    public void finished(SimulatedQuery query) {
        room.giveBack(query);
        dispatch();
    }

    private void dispatch() {
        for (SimulatedQuery first = line.first(); first != null && room.fits(first); first = line.first()) {
            line.serve(first);
            room.take(first);
            stopWaiting(first);
            decisions.granted(first);
        }
    }

    private void giveUp(SimulatedQuery query) {
        line.leave(query);
        stopWaiting(query);
        decisions.refused(query, RejectAtCapPolicy.RETRY_AFTER);
        // It may have held up those behind it.
        dispatch();
    }

    private void stopWaiting(SimulatedQuery query) {
        Scheduler.Handle timeout = timeouts.remove(query);
        if (timeout != null) {
            timeout.cancel();
        }
    }

    @Override
    public int inLane() {
        return 0;
    }
}
