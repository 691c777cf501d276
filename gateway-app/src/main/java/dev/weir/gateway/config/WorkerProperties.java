package dev.weir.gateway.config;

import java.net.URI;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * A worker of this gateway.
 *
 * @param uri grpc+tls://host:port, or grpc://host:port without TLS
 * @param name for logs, views and meters; by default host and port
 * @param slots most queries that this gateway runs there; by default as many as the worker says
 * @param memory most memory that this gateway promises there; by default as much as the worker says
 * @param tls how it proves who it is
 */
public record WorkerProperties(
        @Nullable URI uri,
        @Nullable String name,
        @Nullable Integer slots,
        @Nullable DataSize memory,
        @DefaultValue Tls tls) {

    /**
     * How the worker proves who it is.
     *
     * @param ca PEM file with its authority or certificate; by default weir.cluster.tls.ca
     * @param serverName name that its certificate must have; by default the host
     */
    public record Tls(@Nullable Path ca, @Nullable String serverName) {}
}
