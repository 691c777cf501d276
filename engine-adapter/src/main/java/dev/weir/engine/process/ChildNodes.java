package dev.weir.engine.process;

import dev.weir.engine.EngineNode;

/** Children of a pool as an operator sees them. */
final class ChildNodes {

    private ChildNodes() {}

    /**
     * @param reserved promised to the query in it; 0 when it is shared or idle
     * @param shared whether many short calls use it
     * @param lent whether it is in use at all
     * @param now the database file as it is now
     */
    static EngineNode of(Child child, long reserved, boolean shared, boolean lent, String limit, FileVersion now) {
        boolean old = now.replaces(child.request().version());
        int running = shared ? child.engine().stats().activeCalls() : lent ? 1 : 0;
        return new EngineNode(
                child.name(),
                "pid " + child.pid(),
                old ? EngineNode.State.DRAINING : EngineNode.State.HEALTHY,
                child.since(),
                shared ? child.request().slots() : 1,
                running,
                child.request().memoryBytes(),
                reserved,
                limit,
                old ? "the database was replaced" : null);
    }
}
