package dev.weir.admission;

import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;

/** Makes admission controllers. */
public final class AdmissionControllers {

    private AdmissionControllers() {}

    /**
     * A controller on the system's clock.
     *
     * @param timer wakes it for queue timeouts; one thread is enough. Owned by the caller, to be shut down only after
     *     {@link AdmissionController#drain()}
     * @param callbacks runs the continuations of queries that waited; owned by the caller. If it refuses one, the
     *     continuation runs in the thread at hand, so that no permit is lost
     */
    public static AdmissionController create(
            AdmissionLimits limits, ScheduledExecutorService timer, Executor callbacks, AdmissionListener listener) {
        return create(limits, NanoClock.SYSTEM, Scheduler.on(timer), callbacks, listener);
    }

    /**
     * A controller on a clock of the caller's, for tests and simulation. Clock and scheduler must agree about time.
     *
     * @param callbacks runs the continuations of queries that waited
     */
    public static AdmissionController create(
            AdmissionLimits limits,
            NanoClock clock,
            Scheduler scheduler,
            Executor callbacks,
            AdmissionListener listener) {
        return new FairAdmissionController(limits, clock, scheduler, new Callbacks(callbacks, listener));
    }
}
