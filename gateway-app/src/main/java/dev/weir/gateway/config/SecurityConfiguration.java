package dev.weir.gateway.config;

import dev.weir.auth.Authenticator;
import dev.weir.auth.web.WebSecurity;
import dev.weir.auth.web.WebSecurityRules;
import dev.weir.gateway.http.HttpFront;
import java.util.ArrayList;
import java.util.List;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.observation.SecurityObservationSettings;
import org.springframework.security.web.server.SecurityWebFilterChain;

/** Who may call which path, on the HTTP front and on the management port. */
@Configuration(proxyBeanMethods = false)
class SecurityConfiguration {

    static final List<String> HEALTH = List.of("/livez", "/readyz", "/actuator/health", "/actuator/health/**");

    @Bean
    SecurityWebFilterChain securityWebFilterChain(
            WeirProperties properties, Authenticator authenticator, HttpFront front) {
        List<String> anonymous = new ArrayList<>(HEALTH);
        if (properties.management().metricsAnonymous()) {
            anonymous.add("/actuator/prometheus");
        }
        boolean certificates = properties.tls().active() && properties.tls().clientCa() != null;
        return WebSecurity.chain(
                authenticator,
                new WebSecurityRules(anonymous, List.of(), certificates),
                front.authenticationEntryPoint(),
                front.accessDeniedHandler());
    }

    /** The gateway's own meters count requests and refusals; an observation per filter costs time and tells no more. */
    @Bean
    SecurityObservationSettings securityObservationSettings() {
        return SecurityObservationSettings.noObservations();
    }
}
