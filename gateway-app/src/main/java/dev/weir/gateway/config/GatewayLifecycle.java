package dev.weir.gateway.config;

import dev.weir.auth.tls.TlsMaterial;
import dev.weir.gateway.query.Drains;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Starts after both fronts and stops before them. At the start: the first admin, the warm-up, then readiness. At the
 * stop: readiness goes first, queued queries are refused, running ones and open streams get the grace.
 */
final class GatewayLifecycle implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(GatewayLifecycle.class);

    /** Starts last and stops first. */
    static final int PHASE = Integer.MAX_VALUE;

    /** Between failed warm-ups. */
    private static final Duration RETRY = Duration.ofSeconds(1);

    /** After the grace, for cancelled queries to stop; the engine's own close waits as long again. */
    private static final Duration CANCEL_TIME = Duration.ofSeconds(10);

    private final WeirProperties properties;
    private final Ports ports;
    private final FirstAdmin firstAdmin;
    private final InternalAuthenticator authenticator;
    private final @Nullable TlsMaterial tls;
    private final Drains drains;
    private final RuntimeLimits limits;
    private final Readiness readiness;
    private final CompletableFuture<Void> warm = new CompletableFuture<>();
    private volatile @Nullable String generatedPassword;
    private volatile boolean running;

    /** The ports that the servers took. */
    interface Ports {
        int http();

        int flight();

        int management();
    }

    GatewayLifecycle(
            WeirProperties properties,
            Ports ports,
            FirstAdmin firstAdmin,
            InternalAuthenticator authenticator,
            @Nullable TlsMaterial tls,
            Drains drains,
            RuntimeLimits limits,
            Readiness readiness) {
        this.properties = properties;
        this.ports = ports;
        this.firstAdmin = firstAdmin;
        this.authenticator = authenticator;
        this.tls = tls;
        this.drains = drains;
        this.limits = limits;
        this.readiness = readiness;
    }

    @Override
    public void start() {
        generatedPassword = firstAdmin.create().orElse(null);
        running = true;
        Thread thread = new Thread(this::warmUp, "weir-warm-up");
        thread.setDaemon(true);
        thread.start();
    }

    private void warmUp() {
        String token = authenticator.open();
        try {
            while (running && !warmedOnce(token)) {
                TimeUnit.NANOSECONDS.sleep(RETRY.toNanos());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            authenticator.close();
        }
        if (running) {
            limits.warm();
            readiness.open();
        }
        warm.complete(null);
    }

    private boolean warmedOnce(String token) throws InterruptedException {
        TlsMaterial material = tls;
        WarmUp warmUp = new WarmUp(
                new WarmUp.Endpoint(host(properties.http().address()), ports.http(), material != null),
                new WarmUp.Endpoint(host(properties.flight().address()), ports.flight(), material != null),
                token,
                () -> material == null ? List.of() : material.certificateChain());
        try {
            warmUp.run();
            return true;
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            if (running) {
                log.warn(
                        "A call of the gateway to its own fronts failed ({}); it is tried again, until then not ready",
                        e.toString());
                log.debug("The failed call", e);
            }
            return false;
        }
    }

    @Override
    public void stop(Runnable callback) {
        running = false;
        readiness.close();
        Duration grace = properties.shutdown().grace();
        var unused = drains.stop()
                .toCompletableFuture()
                .orTimeout(grace.plus(CANCEL_TIME).toMillis(), TimeUnit.MILLISECONDS)
                .whenComplete((nothing, thrown) -> {
                    if (thrown != null) {
                        log.warn("Some queries did not stop in time; the gateway stops without them");
                    }
                    callback.run();
                });
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
        return PHASE;
    }

    CompletionStage<Void> warm() {
        return warm;
    }

    String exampleUser() {
        return firstAdmin.example();
    }

    Optional<String> generatedAdminPassword() {
        return Optional.ofNullable(generatedPassword);
    }

    ConnectLines connectLines() {
        TlsMaterial material = tls;
        String managementAddress = properties.management().address();
        boolean managementTls = material != null && !PortChecks.isLoopback("weir.management", managementAddress);
        return new ConnectLines(
                name(properties.http().address()),
                name(properties.flight().address()),
                ports.http(),
                ports.flight(),
                (managementTls ? "https" : "http") + "://" + name(managementAddress) + ":" + ports.management(),
                material == null ? null : material.fingerprint());
    }

    /** An address under which this machine reaches itself; numeric, so that no resolver is asked. */
    private static String host(String address) {
        return address.isEmpty() || isWildcard(address) ? "127.0.0.1" : address;
    }

    private static String name(String address) {
        return address.isEmpty() || isWildcard(address) || address.equals("127.0.0.1") ? "localhost" : address;
    }

    private static boolean isWildcard(String address) {
        InetAddress resolved = PortChecks.address("weir", address);
        return resolved.isAnyLocalAddress();
    }
}
