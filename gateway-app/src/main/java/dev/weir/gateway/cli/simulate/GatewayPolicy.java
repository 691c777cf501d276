package dev.weir.gateway.cli.simulate;

import dev.weir.admission.AdmissionController;
import dev.weir.admission.AdmissionControllers;
import dev.weir.admission.AdmissionLimits;
import dev.weir.admission.AdmissionListener;
import dev.weir.admission.AdmissionRejectedException;
import dev.weir.admission.AdmissionRequest;
import dev.weir.admission.Priority;
import dev.weir.admission.RunPermit;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The gateway's own admission, on virtual time. */
final class GatewayPolicy implements Policy {

    private final AdmissionController controller;
    private final EventClock clock;
    private final Decisions decisions;
    private final Map<SimulatedQuery, RunPermit> permits = new HashMap<>();
    private final Set<RunPermit> lane = new HashSet<>();

    GatewayPolicy(AdmissionLimits limits, EventClock clock, Decisions decisions) {
        this.controller = AdmissionControllers.create(limits, clock, clock, Runnable::run, AdmissionListener.NONE);
        this.clock = clock;
        this.decisions = decisions;
    }

    @Override
    public void submit(SimulatedQuery query) {
        AdmissionRequest request = new AdmissionRequest(
                query.id,
                query.ask.user(),
                List.of(query.ask.group()),
                query.ask.fingerprint(),
                query.ask.memoryBytes(),
                query.groupLimits.queueTimeout(),
                Priority.NORMAL,
                query.ask.heavy());
        // As an event of its own: the stage would swallow what goes wrong.
        controller
                .admit(request)
                .permit()
                .whenComplete((permit, failure) -> clock.schedule(() -> decided(query, permit, failure), 0));
    }

    private void decided(SimulatedQuery query, @Nullable RunPermit permit, @Nullable Throwable failure) {
        if (permit != null) {
            permits.put(query, permit);
            if (permit.inShortLane()) {
                lane.add(permit);
            }
            decisions.granted(query);
        } else if (failure instanceof AdmissionRejectedException refused) {
            decisions.refused(query, refused.rejection().retryAfter());
        } else {
            throw new IllegalStateException("query " + query.id + " was neither granted nor refused", failure);
        }
    }

    @Override
    public void finished(SimulatedQuery query) {
        RunPermit permit = permits.remove(query);
        if (permit == null) {
            throw new IllegalStateException("query " + query.id + " does not run");
        }
        lane.remove(permit);
        permit.close(RunPermit.Outcome.FINISHED);
    }

    /** A query leaves the lane without a word when it runs for longer than short ones may. */
    @Override
    public int inLane() {
        lane.removeIf(permit -> !permit.inShortLane());
        return lane.size();
    }
}
