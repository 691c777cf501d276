package dev.weir.gateway.config;

import java.util.HashMap;
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

/**
 * A worker as a Spring Boot application, in the profile {@value #PROFILE}: an engine, a port for gateways, health and
 * metrics. No users, no fronts.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration(exclude = ReactiveUserDetailsServiceAutoConfiguration.class)
@EnableConfigurationProperties(WeirProperties.class)
@Import({
    EngineConfiguration.class,
    WorkerConfiguration.class,
    ServerConfiguration.class,
    HealthConfiguration.class,
    TracingConfiguration.class
})
public class WorkerApplication {

    static final String PROFILE = "worker";

    /**
     * Starts a worker and returns when it listens.
     *
     * @param propertyArgs arguments of the form {@code --name=value}
     * @throws StartFailedException with one clear line; nothing is left running
     */
    public static RunningWorker start(List<String> propertyArgs) {
        SpringApplication application = new SpringApplication(WorkerApplication.class);
        application.setWebApplicationType(WebApplicationType.REACTIVE);
        application.setBannerMode(Banner.Mode.OFF);
        application.setAdditionalProfiles(PROFILE);
        Map<String, Object> defaults = new HashMap<>(GatewayApplication.DEFAULTS);
        application.setDefaultProperties(defaults);
        ApplicationListener<ApplicationEnvironmentPreparedEvent> prepare =
                event -> WorkerEnvironment.prepare(event.getEnvironment());
        application.addListeners(prepare);
        try {
            ConfigurableApplicationContext context = application.run(propertyArgs.toArray(String[]::new));
            return new RunningWorker(context, context.getBean(WorkerLifecycle.class));
        } catch (RuntimeException e) {
            throw StartFailures.explain(e);
        }
    }
}
