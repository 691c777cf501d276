package dev.weir.gateway.config;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Health. Liveness is Boot's own; readiness is the indicator {@code gateway}. */
@Configuration(proxyBeanMethods = false)
class HealthConfiguration {

    @Bean
    HealthIndicator gatewayHealthIndicator(Readiness readiness) {
        return () -> {
            Health.Builder health = readiness.isReady() ? Health.up() : Health.outOfService();
            return health.withDetail("state", readiness.state()).build();
        };
    }
}
