package dev.weir.gateway.config;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * A worker process ({@code bin/weir worker}); a gateway does not read this.
 *
 * @param name for logs and reports; by default the machine's name and the port
 * @param port TCP port for gateways; 0 takes a free one
 * @param address address to listen on; empty for all
 * @param slots most queries at once, from all gateways; by default eight times the cores
 * @param memory most memory promised to queries together, and the engine's memory limit; by default 0.6 of the container
 *     or machine
 */
public record WorkerProcessProperties(
        @Nullable String name,
        @DefaultValue("31338") int port,
        @DefaultValue("") String address,
        @Nullable Integer slots,
        @Nullable DataSize memory) {}
