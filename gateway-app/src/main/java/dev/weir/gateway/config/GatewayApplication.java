package dev.weir.gateway.config;

import java.util.List;
import java.util.Map;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.security.autoconfigure.ReactiveUserDetailsServiceAutoConfiguration;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** The gateway as a Spring Boot application. What is wired is listed here, not found by scanning. */
@Configuration(proxyBeanMethods = false)
// Users are this gateway's own; Spring would make one with a random password.
@EnableAutoConfiguration(exclude = ReactiveUserDetailsServiceAutoConfiguration.class)
@EnableConfigurationProperties(WeirProperties.class)
@Import({
    AuthConfiguration.class,
    EngineConfiguration.class,
    WorkersConfiguration.class,
    QueryConfiguration.class,
    ServerConfiguration.class,
    SecurityConfiguration.class,
    HttpFrontConfiguration.class,
    FlightFrontConfiguration.class,
    HealthConfiguration.class,
    LifecycleConfiguration.class,
    MetersConfiguration.class,
    TracingConfiguration.class
})
public class GatewayApplication {

    /** Overridable by any other property source. */
    static final Map<String, Object> DEFAULTS = Map.ofEntries(
            Map.entry("logging.level.root", "WARN"),
            Map.entry("logging.level.dev.weir", "INFO"),
            Map.entry("logging.level.weir", "INFO"),
            // Start failures are told in one line by whoever started the gateway.
            Map.entry("logging.level.org.springframework.boot.SpringApplication", "OFF"),
            Map.entry("logging.level.org.springframework.boot.diagnostics.LoggingFailureAnalysisReporter", "OFF"),
            Map.entry("logging.level.org.springframework.boot.web.server.reactive.context", "ERROR"),
            Map.entry("spring.main.log-startup-info", "false"),
            Map.entry("spring.lifecycle.timeout-per-shutdown-phase", "1h"),
            Map.entry(
                    "management.metrics.distribution.slo.http.server.requests",
                    "5ms,25ms,100ms,500ms,1s,5s,30s,2m,10m"),
            Map.entry("management.endpoints.web.exposure.include", "health,info,prometheus"),
            Map.entry("management.endpoint.health.probes.enabled", "true"),
            Map.entry("management.endpoint.health.probes.add-additional-paths", "true"),
            Map.entry("management.endpoint.health.group.readiness.include", "gateway"),
            // A group has one address beside its own; these give the management port what the front has.
            Map.entry("management.endpoint.health.group.livez.include", "livenessState"),
            Map.entry("management.endpoint.health.group.livez.additional-path", "management:/livez"),
            Map.entry("management.endpoint.health.group.readyz.include", "gateway"),
            Map.entry("management.endpoint.health.group.readyz.additional-path", "management:/readyz"),
            Map.entry("management.health.defaults.enabled", "false"));

    /**
     * Starts a gateway and returns when both fronts listen.
     *
     * @param propertyArgs arguments of the form {@code --name=value}
     * @param listeners told of the application's events; a failure of theirs is a failure of the start
     * @throws StartFailedException with one clear line; nothing is left running
     */
    public static RunningGateway start(List<String> propertyArgs, List<ApplicationListener<?>> listeners) {
        SpringApplication application = new SpringApplication(GatewayApplication.class);
        application.setWebApplicationType(WebApplicationType.REACTIVE);
        application.setBannerMode(Banner.Mode.OFF);
        application.setDefaultProperties(DEFAULTS);
        ApplicationListener<ApplicationEnvironmentPreparedEvent> prepare = event -> {
            // The logging system, which is set up on the same event before this, would throw an earlier filter out.
            ClientNoise.install();
            GatewayEnvironment.prepare(event.getEnvironment());
        };
        application.addListeners(prepare);
        application.addListeners(listeners.toArray(ApplicationListener[]::new));
        try {
            ConfigurableApplicationContext context = application.run(propertyArgs.toArray(String[]::new));
            return new RunningGateway(context, context.getBean(GatewayLifecycle.class));
        } catch (RuntimeException e) {
            throw StartFailures.explain(e);
        }
    }
}
