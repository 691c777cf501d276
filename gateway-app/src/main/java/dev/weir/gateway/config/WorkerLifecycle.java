package dev.weir.gateway.config;

import dev.weir.auth.tls.TlsMaterial;
import dev.weir.engine.worker.WorkerServer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Opens the port for gateways last and leaves first: readiness goes, new queries are refused so that gateways move on,
 * those under way get the grace.
 */
final class WorkerLifecycle implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(WorkerLifecycle.class);

    private final WeirProperties properties;
    private final String name;
    private final WorkerServer server;
    private final Readiness readiness;
    private final @Nullable TlsMaterial tls;
    private volatile boolean running;

    WorkerLifecycle(
            WeirProperties properties,
            String name,
            WorkerServer server,
            Readiness readiness,
            @Nullable TlsMaterial tls) {
        this.properties = properties;
        this.name = name;
        this.server = server;
        this.readiness = readiness;
        this.tls = tls;
    }

    @Override
    public void start() {
        try {
            server.start();
        } catch (IllegalStateException e) {
            throw new StartFailedException("weir.worker.port: " + e.getMessage(), e);
        }
        running = true;
        readiness.open();
    }

    @Override
    public void stop(Runnable callback) {
        running = false;
        readiness.close();
        // Draining blocks for as long as the grace.
        Thread draining = new Thread(
                () -> {
                    try {
                        log.info("Draining: {} queries under way", server.running());
                        server.drain(properties.shutdown().grace());
                        server.close();
                    } finally {
                        callback.run();
                    }
                },
                "weir-worker-drain");
        draining.start();
    }

    @Override
    public void stop() {
        stop(() -> {});
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return GatewayLifecycle.PHASE;
    }

    int port() {
        return server.port();
    }

    List<String> lines() {
        String address = properties.worker().address();
        List<String> lines = new ArrayList<>();
        lines.add("Worker " + name + " serves gateways at " + (tls == null ? "grpc" : "grpc+tls") + "://"
                + (address.isEmpty() ? WorkerConfiguration.machine() : address) + ":" + server.port());
        if (tls != null) {
            lines.add("Certificate SHA-256 " + tls.fingerprint());
        }
        return lines;
    }
}
