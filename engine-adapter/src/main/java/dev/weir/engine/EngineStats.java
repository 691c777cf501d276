package dev.weir.engine;

/**
 * Figures of an engine at one moment.
 *
 * @param openResults results that were not closed yet
 * @param activeCalls engine threads inside a native call
 * @param unstopped calls that were cancelled and have not stopped yet
 * @param arrowBytes Arrow memory held by this engine's results
 */
public record EngineStats(int openResults, int activeCalls, int unstopped, long arrowBytes) {}
