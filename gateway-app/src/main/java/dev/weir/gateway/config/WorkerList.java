package dev.weir.gateway.config;

import dev.weir.engine.cluster.ClusterSettings;
import dev.weir.engine.cluster.WorkerAddress;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;

/** The workers as they are configured, checked. A fault is a {@link StartFailedException} that names its property. */
final class WorkerList {

    private static final String DISCOVERY = "weir.cluster.discovery.";

    private final ClusterProperties cluster;
    private final boolean plaintextAllowed;

    WorkerList(WeirProperties properties) {
        this.cluster = properties.cluster();
        this.plaintextAllowed = properties.tls().allowPlaintext();
    }

    List<WorkerAddress> named(List<WorkerProperties> given) {
        List<WorkerAddress> workers = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (int i = 0; i < given.size(); i++) {
            WorkerProperties worker = given.get(i);
            String prefix = "weir.workers[" + i + "].";
            URI uri = checked(prefix + "uri", worker.uri());
            String name = worker.name() == null || worker.name().isBlank()
                    ? uri.getHost() + ":" + uri.getPort()
                    : worker.name().strip();
            if (!names.add(name)) {
                throw new StartFailedException(prefix + "name: another worker is called " + name + " too");
            }
            workers.add(new WorkerAddress(
                    name,
                    host(uri),
                    uri.getPort(),
                    trust(prefix, uri, worker.tls().ca()),
                    worker.tls().serverName(),
                    slots(prefix + "slots", worker.slots()),
                    memory(prefix + "memory", worker.memory())));
        }
        return workers;
    }

    ClusterSettings.@Nullable Discovery discovery() {
        ClusterProperties.Discovery given = cluster.discovery();
        if (given.uri() == null) {
            return null;
        }
        URI uri = checked(DISCOVERY + "uri", given.uri());
        WorkerAddress template = new WorkerAddress(
                "",
                "",
                uri.getPort(),
                trust(DISCOVERY, uri, null),
                null,
                slots(DISCOVERY + "slots", given.slots()),
                memory(DISCOVERY + "memory", given.memory()));
        return new ClusterSettings.Discovery(host(uri), template, positive(DISCOVERY + "refresh", given.refresh()));
    }

    ClusterSettings.Health health() {
        ClusterProperties.Health given = cluster.health();
        String prefix = "weir.cluster.health.";
        if (given.downAfter() < 1 || given.upAfter() < 1) {
            throw new StartFailedException(prefix + "down-after and up-after must be at least 1");
        }
        if (given.rampUp().isNegative()) {
            throw new StartFailedException(prefix + "ramp-up must not be negative");
        }
        return new ClusterSettings.Health(
                positive(prefix + "interval", given.interval()),
                positive(prefix + "timeout", given.timeout()),
                given.downAfter(),
                given.upAfter(),
                given.rampUp());
    }

    static Duration positive(String property, Duration given) {
        if (given.isNegative() || given.isZero()) {
            throw new StartFailedException(property + " must be positive");
        }
        return given;
    }

    private static URI checked(String property, @Nullable URI uri) {
        if (uri == null
                || !(isTls(uri) || "grpc".equals(uri.getScheme()))
                || uri.getHost() == null
                || uri.getPort() < 1) {
            throw new StartFailedException(property + " must be grpc+tls://host:port or grpc://host:port");
        }
        return uri;
    }

    private static boolean isTls(URI uri) {
        return "grpc+tls".equals(uri.getScheme());
    }

    /** Without the brackets that an IPv6 address has in a URI. */
    private static String host(URI uri) {
        String host = uri.getHost();
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }

    private @Nullable TrustManager trust(String prefix, URI uri, @Nullable Path own) {
        if (isTls(uri)) {
            return own != null
                    ? WorkerTrust.of(prefix + "tls.ca", own)
                    : WorkerTrust.of("weir.cluster.tls.ca", cluster.tls().ca());
        }
        if (!plaintextAllowed && !isLoopback(host(uri))) {
            throw new StartFailedException(prefix + "uri: grpc:// sends statements, results and the secret unprotected;"
                    + " use grpc+tls://, or set weir.tls.allow-plaintext=true");
        }
        return null;
    }

    private static boolean isLoopback(String host) {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }

    private static int slots(String property, @Nullable Integer given) {
        if (given != null && given < 1) {
            throw new StartFailedException(property + " must be at least 1");
        }
        return given == null ? 0 : given;
    }

    private static long memory(String property, @Nullable DataSize given) {
        if (given != null && given.toBytes() < 1) {
            throw new StartFailedException(property + " must be positive");
        }
        return given == null ? 0 : given.toBytes();
    }
}
