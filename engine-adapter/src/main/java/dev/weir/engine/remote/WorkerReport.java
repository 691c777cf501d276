package dev.weir.engine.remote;

import dev.weir.engine.EngineInfo;

/**
 * What a worker says of itself.
 *
 * @param name as the worker calls itself
 * @param engine what it runs
 * @param instance differs after a restart
 * @param slots most queries at once
 * @param running queries now, from all gateways
 * @param memoryBytes most memory promised to queries together
 * @param reservedBytes promised now
 * @param limit what bounds one query's memory there
 * @param draining whether it takes no new queries
 */
public record WorkerReport(
        String name,
        EngineInfo engine,
        String instance,
        int slots,
        int running,
        long memoryBytes,
        long reservedBytes,
        String limit,
        boolean draining) {}
