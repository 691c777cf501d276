package dev.weir.gateway.config;

import java.util.HashMap;
import java.util.Map;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.util.unit.DataSize;

/**
 * Carries a worker's properties over to those that decide: its engine is opened as a gateway's whose every slot may be
 * taken, and the one HTTP server is the management server.
 */
final class WorkerEnvironment {

    private WorkerEnvironment() {}

    static void prepare(ConfigurableEnvironment environment) {
        WeirProperties properties = GatewayEnvironment.bind(environment);
        if (WorkersConfiguration.areConfigured(properties)) {
            throw new StartFailedException(
                    "weir.workers and weir.cluster.discovery are for gateways; a worker runs" + " its queries itself");
        }
        PortChecks.checkWorker(properties);
        checkPlaintext(properties);
        WeirProperties.Management management = properties.management();
        Map<String, Object> derived = new HashMap<>();
        derived.put("weir.admission.memory.budget", memoryBytes(properties) + "B");
        derived.put("weir.admission.max-running", slots(properties));
        derived.put("weir.admission.short-lane", 0);
        derived.put("weir.admission.max-paused", 0);
        derived.put("server.port", management.port());
        boolean loopback = PortChecks.isLoopback("weir.management", management.address());
        if (!management.address().isEmpty()) {
            derived.put("server.address", management.address());
        }
        if (properties.tls().active() && !loopback) {
            derived.put("server.ssl.bundle", GatewayEnvironment.SSL_BUNDLE);
        }
        boolean metrics = loopback || management.metricsAnonymous();
        derived.put("management.endpoints.web.exposure.include", metrics ? "health,info,prometheus" : "health");
        environment.getPropertySources().addFirst(new MapPropertySource("weir-derived", derived));
    }

    static int slots(WeirProperties properties) {
        Integer given = properties.worker().slots();
        if (given != null && given < 1) {
            throw new StartFailedException("weir.worker.slots must be at least 1");
        }
        return given == null
                ? EffectiveLimits.SLOTS_PER_CORE * Runtime.getRuntime().availableProcessors()
                : given;
    }

    static long memoryBytes(WeirProperties properties) {
        DataSize given = properties.worker().memory();
        if (given != null && given.toBytes() < 1) {
            throw new StartFailedException("weir.worker.memory must be positive");
        }
        return given == null ? (long) (MachineMemory.bytes() * EffectiveLimits.MEMORY_SHARE) : given.toBytes();
    }

    private static void checkPlaintext(WeirProperties properties) {
        boolean loopback =
                PortChecks.isLoopback("weir.worker", properties.worker().address());
        if (!properties.tls().active() && !properties.tls().allowPlaintext() && !loopback) {
            throw new StartFailedException(
                    "weir.tls.enabled is false, but weir.worker.address is not loopback; set it to"
                            + " 127.0.0.1, or set weir.tls.allow-plaintext");
        }
    }
}
