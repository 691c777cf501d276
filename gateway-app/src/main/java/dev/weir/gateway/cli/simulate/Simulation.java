package dev.weir.gateway.cli.simulate;

import dev.weir.admission.AdmissionLimits;
import java.time.Duration;
import java.util.function.LongConsumer;

/** One run of a trace under one policy. Used once. */
final class Simulation implements Policy.Decisions {

    private final AdmissionLimits limits;
    private final EventClock clock;
    private final Policy policy;
    private final Meter meter;
    private long submitted;

    private Simulation(Trace trace, AdmissionLimits limits, PolicyKind kind) {
        this.limits = limits;
        this.meter = new Meter(limits, trace.warmUpNanos());
        this.clock = new EventClock(this::timePasses);
        this.policy = kind.create(limits, clock, this);
    }

    static PolicyReport run(Trace trace, AdmissionLimits limits, PolicyKind kind) {
        Simulation simulation = new Simulation(trace, limits, kind);
        trace.play(simulation.clock, simulation::submit);
        simulation.clock.runUntil(trace.endNanos());
        return simulation.meter.report(kind, trace.endNanos());
    }

    private void timePasses(long fromNanos, long toNanos) {
        meter.timePasses(fromNanos, toNanos, policy.inLane());
    }

    private void submit(Ask ask, LongConsumer whenEnded) {
        SimulatedQuery query = new SimulatedQuery("q" + submitted++, ask, limits, clock.nanoTime(), whenEnded);
        meter.submitted(query);
        policy.submit(query);
    }

    @Override
    public void granted(SimulatedQuery query) {
        query.grantedNanos = clock.nanoTime();
        meter.granted(query);
        clock.schedule(() -> finish(query), query.ask.serviceNanos());
    }

    private void finish(SimulatedQuery query) {
        meter.finished(query, clock.nanoTime());
        policy.finished(query);
        query.whenEnded.accept(0);
    }

    @Override
    public void refused(SimulatedQuery query, Duration retryAfter) {
        meter.refused(query, clock.nanoTime());
        query.whenEnded.accept(retryAfter.toNanos());
    }
}
