package dev.weir.gateway.config;

import dev.weir.admission.AdmissionController;
import dev.weir.admission.AdmissionControllers;
import dev.weir.admission.AdmissionLimits;
import dev.weir.admission.AdmissionListener;
import dev.weir.engine.QueryEngine;
import dev.weir.gateway.metrics.GatewayMetrics;
import dev.weir.gateway.metrics.QueryLog;
import dev.weir.gateway.metrics.QueryLogSettings;
import dev.weir.gateway.query.DefaultQueryService;
import dev.weir.gateway.query.QueryListener;
import dev.weir.gateway.query.QuerySnapshot;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Clock;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Admission, the query service, and who listens to it. */
@Configuration(proxyBeanMethods = false)
class QueryConfiguration {

    @Bean
    Clock clock() {
        return Clock.systemUTC();
    }

    @Bean(destroyMethod = "close")
    RealTimers timers() {
        return new RealTimers();
    }

    @Bean
    AdmissionController admissionController(EffectiveLimits limits, RealTimers timers) {
        return controller(limits.admission(), timers);
    }

    /** The continuation of a query that waited only hands a statement to an engine thread; it may run on the timer's. */
    private static AdmissionController controller(AdmissionLimits limits, RealTimers timers) {
        return AdmissionControllers.create(limits, timers.executor(), timers.executor(), AdmissionListener.NONE);
    }

    @Bean
    GatewayMetrics gatewayMetrics(MeterRegistry registry) {
        return new GatewayMetrics(registry);
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
            EffectiveLimits limits,
            RealTimers timers,
            Clock clock,
            GatewayMetrics metrics,
            QueryLog queryLog) {
        AdmissionLimits lane = limits.lane();
        QueryListener both = new QueryListener() {
            @Override
            public void done(QuerySnapshot query) {
                metrics.done(query);
                queryLog.done(query);
            }
        };
        return new DefaultQueryService(
                engine,
                new DefaultQueryService.Controllers(admission, controller(lane, timers), controller(lane, timers)),
                limits.clocks(),
                timers,
                clock,
                both);
    }

    @Bean
    Readiness readiness(
            DefaultQueryService service,
            GatewayMetrics metrics,
            MeterRegistry registry,
            AdmissionController admission,
            QueryEngine engine,
            RealTimers timers) {
        Readiness readiness = new Readiness(service, timers);
        metrics.observe(registry, admission, engine, service::liveQueries, readiness::isReady);
        return readiness;
    }
}
