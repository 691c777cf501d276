package dev.weir.engine.worker;

import dev.weir.engine.QueryEngine;
import java.time.Duration;

/**
 * Serves an engine to gateways. Thread-safe; started once, stopped once. Does not own the engine.
 *
 * <p>Enforces its own slots, memory and deadlines, whatever a gateway believes, and cancels what no gateway asks for.
 */
public final class WorkerServer implements AutoCloseable {

    public WorkerServer(QueryEngine engine, WorkerSettings settings) {
        throw new UnsupportedOperationException();
    }

    /**
     * Opens the port.
     *
     * @throws IllegalStateException when it cannot be opened
     */
    public void start() {}

    /** The TCP port, the one taken when 0 was asked for; -1 before the start. */
    public int port() {
        return -1;
    }

    /** Queries under way, those that wait to be resumed included. */
    public int running() {
        return 0;
    }

    /**
     * Refuses new queries with DRAINING from now on, lets those under way finish for as long as the grace, then cancels
     * the rest. Blocks for that long. Gateways see it at once and move on.
     */
    public void drain(Duration grace) {}

    /** Drains without grace and closes the port. Idempotent. */
    @Override
    public void close() {}
}
