package dev.weir.gateway.cli.simulate;

import java.time.Duration;

/** Decides which query runs when. Called by the simulation's only thread. */
interface Policy {

    /** A query asks to run. It is granted or refused, now or later, once. */
    void submit(SimulatedQuery query);

    /** A query that was granted has run; what it held is free. */
    void finished(SimulatedQuery query);

    /** How many of those that run hold a place in a lane beside the slots. */
    int inLane();

    /** Told of the policy's decisions, possibly within {@link #submit} and {@link #finished}. Must call neither. */
    interface Decisions {

        void granted(SimulatedQuery query);

        /** @param retryAfter when its client may try again; zero when that makes no sense */
        void refused(SimulatedQuery query, Duration retryAfter);
    }
}
