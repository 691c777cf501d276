package dev.weir.engine.cluster;

import java.util.Objects;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Where one worker is, and how much of it this gateway may use.
 *
 * @param name unique among the workers; for logs, views and meters
 * @param host name or address
 * @param port TCP port
 * @param trust whom to believe about its certificate; null for plaintext
 * @param serverName name that its certificate must have; null for the host
 * @param slots most queries that this gateway runs there at once; 0 for as many as the worker says
 * @param memoryBytes most memory that this gateway promises there; 0 for as much as the worker says
 */
public record WorkerAddress(
        String name,
        String host,
        int port,
        @Nullable TrustManager trust,
        @Nullable String serverName,
        int slots,
        long memoryBytes) {

    public WorkerAddress {
        Objects.requireNonNull(name);
        Objects.requireNonNull(host);
    }

    /** Host and port, an IPv6 address in brackets. */
    String text() {
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
    }
}
