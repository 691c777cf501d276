package dev.weir.gateway.config;

import dev.weir.admission.AdmissionController;
import dev.weir.admission.AdmissionControllers;
import dev.weir.admission.AdmissionLimits;
import dev.weir.admission.AdmissionListener;
import dev.weir.admission.WaitReason;
import dev.weir.engine.EngineNode;
import dev.weir.engine.QueryEngine;
import dev.weir.gateway.metrics.GatewayMetrics;
import dev.weir.gateway.metrics.QueryLog;
import dev.weir.gateway.metrics.QueryLogSettings;
import dev.weir.gateway.query.AdmissionRelay;
import dev.weir.gateway.query.DefaultQueryService;
import dev.weir.gateway.query.Drains;
import dev.weir.gateway.query.QueryListener;
import dev.weir.gateway.query.SessionLimits;
import dev.weir.gateway.tracing.QueryTraces;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Admission, the query service, and who listens to it. */
@Configuration(proxyBeanMethods = false)
class QueryConfiguration {

    private static final Logger log = LoggerFactory.getLogger(QueryConfiguration.class);

    private static final long POLL_SECONDS = 5;
    private static final long GUARD_MILLIS = 250;

    /** Each user has nine series; more than these would slow the scrape down. */
    private static final int MOST_USERS = 1000;

    /** How a node that is a child of this process is addressed. */
    private static final String CHILD_ADDRESS = "pid ";

    @Bean
    Clock clock() {
        return Clock.systemUTC();
    }

    @Bean(destroyMethod = "close")
    RealTimers timers() {
        return new RealTimers();
    }

    @Bean
    AdmissionRelay admissionRelay() {
        return new AdmissionRelay();
    }

    @Bean
    AdmissionController admissionController(EffectiveLimits limits, RealTimers timers, AdmissionRelay relay) {
        log.info("Limits: {}", limits.summary());
        // Without rates until the gateway is warm.
        return controller(limits.admission().withoutRates(), timers, relay);
    }

    /** The continuation of a query that waited only hands a statement to an engine thread; it may run on the timer's. */
    private static AdmissionController controller(
            AdmissionLimits limits, RealTimers timers, AdmissionListener listener) {
        return AdmissionControllers.create(limits, timers.executor(), timers.executor(), listener);
    }

    /** Looks at the limits file as often as the users file is looked at. */
    @Bean(destroyMethod = "shutdownNow")
    ScheduledExecutorService limitsPolling(RuntimeLimits limits, AdmissionController admission) {
        limits.attach(admission);
        ScheduledExecutorService polling = scheduler("weir-limits");
        var unused = polling.scheduleWithFixedDelay(
                () -> guarded(limits::poll), POLL_SECONDS, POLL_SECONDS, TimeUnit.SECONDS);
        return polling;
    }

    @Bean
    GatewayMetrics gatewayMetrics(MeterRegistry registry, WeirProperties properties) {
        int users = properties.management().metricsUsers();
        if (users < 0 || users > MOST_USERS) {
            throw new StartFailedException("weir.management.metrics-users must be 0 to " + MOST_USERS);
        }
        return new GatewayMetrics(registry, users);
    }

    /** Closed after the query service, whose last queries it still writes. */
    @Bean(destroyMethod = "close")
    QueryLog queryLog(WeirProperties properties, MeterRegistry registry) {
        WeirProperties.QueryLog given = properties.queryLog();
        if (given.maxSize().toBytes() < 1) {
            throw new StartFailedException("weir.query-log.max-size must be positive");
        }
        if (given.maxFiles() < 1) {
            throw new StartFailedException("weir.query-log.max-files must be at least 1");
        }
        String name = given.file();
        if (name != null && name.isBlank()) {
            return QueryLog.toLogger(registry);
        }
        try {
            Path file = name == null ? properties.dataDir().resolve("log").resolve("queries.jsonl") : Path.of(name);
            return QueryLog.toFile(new QueryLogSettings(file, given.maxSize().toBytes(), given.maxFiles()), registry);
        } catch (InvalidPathException | IOException e) {
            throw new StartFailedException(
                    "weir.query-log.file cannot be written: " + e.getClass().getSimpleName() + ": " + e.getMessage(),
                    e);
        }
    }

    @Bean
    DefaultQueryService queryService(
            QueryEngine engine,
            AdmissionController admission,
            AdmissionRelay relay,
            EffectiveLimits limits,
            RuntimeLimits runtimeLimits,
            RealTimers timers,
            Clock clock,
            GatewayMetrics metrics,
            QueryLog queryLog,
            ObjectProvider<QueryTraces> traces,
            WeirProperties properties) {
        AdmissionLimits lane = limits.lane();
        QueryListener all = new QueryListeners(
                Stream.concat(traces.stream(), Stream.of(metrics, queryLog)).toList());
        return new DefaultQueryService(
                engine,
                new DefaultQueryService.Controllers(
                        admission,
                        relay,
                        controller(lane, timers, AdmissionListener.NONE),
                        controller(lane, timers, AdmissionListener.NONE)),
                runtimeLimits,
                timers,
                clock,
                all,
                sessionLimits(properties.session()));
    }

    private static SessionLimits sessionLimits(WeirProperties.Session given) {
        try {
            return new SessionLimits(given.idleInTransactionTimeout(), given.maxPerUser());
        } catch (IllegalArgumentException e) {
            throw new StartFailedException("weir.session." + e.getMessage());
        }
    }

    /** Looks at the machine's memory on a thread of its own: files can be slow just then. */
    @Bean(destroyMethod = "shutdownNow")
    ScheduledExecutorService memoryGuard(
            RuntimeLimits limits,
            StartHolds holds,
            DefaultQueryService service,
            QueryEngine engine,
            RealTimers timers) {
        NodeMemory memory = new NodeMemory(
                Path.of("/proc"), Path.of("/sys/fs/cgroup"), MachineMemory.bytes(), () -> children(engine));
        NodeGuard guard = new NodeGuard(
                memory::read,
                timers::nanoTime,
                limits::highWater,
                isShort -> holds.set(WaitReason.HELD, isShort),
                service::endNewest);
        ScheduledExecutorService watching = scheduler("weir-memory");
        var unused = watching.scheduleWithFixedDelay(
                () -> guarded(guard::look), GUARD_MILLIS, GUARD_MILLIS, TimeUnit.MILLISECONDS);
        return watching;
    }

    /** Processes of this machine that run the engine's queries. */
    private static List<Long> children(QueryEngine engine) {
        return engine.nodes().stream()
                .map(EngineNode::address)
                .filter(address -> address.startsWith(CHILD_ADDRESS))
                .map(address -> Long.parseLong(address.substring(CHILD_ADDRESS.length())))
                .toList();
    }

    /** An exception thrown on would end the schedule for good. */
    private static void guarded(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            log.error("A look at memory or limits failed", e);
        }
    }

    private static ScheduledExecutorService scheduler(String name) {
        return Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
    }

    @Bean
    Readiness readiness(
            DefaultQueryService service,
            GatewayMetrics metrics,
            AdmissionController admission,
            QueryEngine engine,
            RealTimers timers) {
        Readiness readiness = new Readiness(service::ready, timers);
        metrics.observe(admission, engine, service::liveQueries, readiness::isReady);
        return readiness;
    }

    @Bean
    Drains drains(DefaultQueryService service, RealTimers timers, WeirProperties properties, Readiness readiness) {
        return new Drains(service, timers, properties.shutdown().grace(), readiness::draining);
    }
}
