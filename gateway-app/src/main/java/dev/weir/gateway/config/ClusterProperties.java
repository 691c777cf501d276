package dev.weir.gateway.config;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * What a gateway and its workers share, and how a gateway watches them.
 *
 * @param secretFile file with the secret that gateways and workers share, at least 16 characters; for its owner only
 * @param tls how workers prove who they are
 * @param discovery workers found by a name
 * @param health when a worker counts as lost, and as back
 * @param unavailableAfter without any worker, queries wait so long for one; then they are refused until one is back
 */
public record ClusterProperties(
        @Nullable Path secretFile,
        @DefaultValue Tls tls,
        @DefaultValue Discovery discovery,
        @DefaultValue Health health,
        @DefaultValue("10s") Duration unavailableAfter) {

    /**
     * How workers prove who they are.
     *
     * @param ca PEM file with the authorities of the workers' certificates, or with those certificates; by default the
     *     authorities that this Java trusts
     */
    public record Tls(@Nullable Path ca) {}

    /**
     * Workers found by a name: each address of it is one.
     *
     * @param uri grpc+tls://name:port; without it only the workers that are listed are used
     * @param refresh how often the name is looked up
     * @param slots most queries that this gateway runs on each; by default as many as it says
     * @param memory most memory that this gateway promises on each; by default as much as it says
     */
    public record Discovery(
            @Nullable URI uri,
            @DefaultValue("10s") Duration refresh,
            @Nullable Integer slots,
            @Nullable DataSize memory) {}

    /**
     * When a worker counts as lost, and as back.
     *
     * @param interval time between two checks of a worker, a real query each
     * @param timeout longest time for a check
     * @param downAfter failures in a row, of checks and queries, after which a worker gets nothing
     * @param upAfter checks in a row that must succeed before it gets queries again
     * @param rampUp time over which it gets its full share then
     */
    public record Health(
            @DefaultValue("1s") Duration interval,
            @DefaultValue("3s") Duration timeout,
            @DefaultValue("3") int downAfter,
            @DefaultValue("2") int upAfter,
            @DefaultValue("5s") Duration rampUp) {}
}
