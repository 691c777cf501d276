package dev.weir.gateway.config;

import dev.weir.admission.AdmissionController;
import dev.weir.admission.AdmissionControllers;
import dev.weir.admission.AdmissionLimits;
import dev.weir.admission.AdmissionListener;
import dev.weir.engine.QueryEngine;
import dev.weir.gateway.metrics.GatewayMetrics;
import dev.weir.gateway.metrics.QueryLog;
import dev.weir.gateway.query.DefaultQueryService;
import dev.weir.gateway.query.QueryListener;
import dev.weir.gateway.query.QuerySnapshot;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Admission, the query service, and who listens to it. */
@Configuration(proxyBeanMethods = false)
class QueryConfiguration {

    private static final long POLL_SECONDS = 5;

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

    /** Looks at the limits file as often as the users file is looked at. */
    @Bean(destroyMethod = "shutdownNow")
    ScheduledExecutorService limitsPolling(RuntimeLimits limits, AdmissionController admission) {
        limits.attach(admission);
        ScheduledExecutorService polling = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "weir-limits");
            thread.setDaemon(true);
            return thread;
        });
        var unused = polling.scheduleWithFixedDelay(limits::poll, POLL_SECONDS, POLL_SECONDS, TimeUnit.SECONDS);
        return polling;
    }

    @Bean
    GatewayMetrics gatewayMetrics(MeterRegistry registry) {
        return new GatewayMetrics(registry);
    }

    @Bean
    DefaultQueryService queryService(
            QueryEngine engine,
            AdmissionController admission,
            EffectiveLimits limits,
            RuntimeLimits runtimeLimits,
            RealTimers timers,
            Clock clock,
            GatewayMetrics metrics) {
        AdmissionLimits lane = limits.lane();
        QueryLog queryLog = new QueryLog();
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
                runtimeLimits,
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
