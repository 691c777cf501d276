package dev.weir.gateway.cli.simulate;

import org.jspecify.annotations.Nullable;

/** The order in which waiting queries are served. */
interface Line {

    void add(SimulatedQuery query);

    /** Who is next, the same until something changes; null when nobody waits. */
    @Nullable
    SimulatedQuery first();

    /** Takes out {@link #first}, which starts to run. */
    void serve(SimulatedQuery first);

    /** Takes out a query that gave up. */
    void leave(SimulatedQuery query);
}
