package dev.weir.gateway.config;

import dev.weir.admission.AdmissionController;
import dev.weir.engine.EngineInfo;
import dev.weir.engine.QueryEngine;
import dev.weir.engine.cluster.ClusterSettings;
import dev.weir.engine.cluster.WorkersEngine;
import dev.weir.engine.duckdb.DuckDbEngine;
import dev.weir.engine.duckdb.DuckDbSettings;
import dev.weir.gateway.metrics.WorkerMeters;
import io.micrometer.core.instrument.MeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Workers instead of an engine in the gateway's own process, and what the limits make of an engine's capacity. */
@Configuration(proxyBeanMethods = false)
class WorkersConfiguration {

    private static final Logger log = LoggerFactory.getLogger(WorkersConfiguration.class);

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(3);
    private static final Duration HEARTBEAT = Duration.ofSeconds(2);

    /** A worker that is gone is not waited for as long as one that may come back. */
    private static final Duration RESUME = Duration.ofSeconds(5);

    /** The start waits so long for a worker; later ones are taken as they come. */
    private static final Duration FIRST_WORKER = Duration.ofSeconds(3);

    static boolean areConfigured(WeirProperties properties) {
        return !properties.workers().isEmpty()
                || properties.cluster().discovery().uri() != null;
    }

    @Bean
    WorkerMeters workerMeters(MeterRegistry registry) {
        return new WorkerMeters(registry);
    }

    @Bean
    @Conditional(Some.class)
    WorkersEngine workersEngine(WeirProperties properties, WorkerMeters meters) {
        WorkerList list = new WorkerList(properties);
        ClusterSettings settings = new ClusterSettings(
                list.named(properties.workers()),
                list.discovery(),
                ClusterSecret.read(properties.cluster().secretFile()),
                new EngineInfo("duckdb", "unknown", false),
                list.health(),
                CONNECT_TIMEOUT,
                HEARTBEAT,
                RESUME);
        WorkersEngine engine = WorkersEngine.open(
                settings, DuckDbEngine.scanner(scanned(properties)), (worker, failure) -> meters.retried(worker));
        try {
            if (!engine.awaitWorker(FIRST_WORKER)) {
                log.warn("No worker answers yet; the gateway is not ready until one does");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return engine;
    }

    /** What the scan knows of the workers' files; they need not exist on this machine. */
    private static DuckDbSettings scanned(WeirProperties properties) {
        WeirProperties.Engine.DuckDb given = properties.engine().duckdb();
        List<Path> directories = given.allowedDirectories().stream()
                .map(WorkersConfiguration::absolute)
                .toList();
        Map<String, Path> views = new LinkedHashMap<>();
        given.parquetViews().forEach((name, path) -> views.put(name, absolute(path)));
        return new DuckDbSettings(
                null, false, absolute(properties.dataDir()), directories, views, List.of(), 1, 1, 1, 1);
    }

    private static Path absolute(Path path) {
        return path.toAbsolutePath().normalize();
    }

    @Bean
    StartHolds startHolds(AdmissionController admission) {
        return new StartHolds(admission::hold);
    }

    /** Follows the capacity of any engine that has one. */
    @Bean
    CapacityWatch capacityWatch(
            QueryEngine engine,
            RuntimeLimits limits,
            AdmissionController admission,
            StartHolds holds,
            RealTimers timers,
            WorkerMeters meters,
            WeirProperties properties) {
        limits.attach(admission);
        meters.observe(engine::nodes, resumes(engine));
        CapacityWatch watch = new CapacityWatch(
                engine,
                limits,
                holds,
                timers,
                WorkerList.positive(
                        "weir.cluster.unavailable-after", properties.cluster().unavailableAfter()),
                admission::learnMemory);
        watch.start();
        return watch;
    }

    private static ToDoubleFunction<String> resumes(QueryEngine engine) {
        if (engine instanceof WorkersEngine workers) {
            return workers::resumes;
        }
        return worker -> 0;
    }

    /** Workers are configured. */
    static final class Some implements Condition {
        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            return areConfigured(GatewayEnvironment.bind(context.getEnvironment()));
        }
    }

    /** No workers are configured. */
    static final class None implements Condition {
        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            return !areConfigured(GatewayEnvironment.bind(context.getEnvironment()));
        }
    }
}
