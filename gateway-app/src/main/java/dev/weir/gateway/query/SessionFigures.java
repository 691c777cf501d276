package dev.weir.gateway.query;

/**
 * The sessions at one moment, for metrics.
 *
 * @param open sessions
 * @param transactions begun in them and not ended by their clients
 * @param pinned of them that hold a connection of the engine
 * @param idleEnds transactions that were ended since the start because they were idle for too long
 */
public record SessionFigures(int open, int transactions, int pinned, long idleEnds) {}
