package dev.weir.gateway.config;

import dev.weir.gateway.tracing.QueryTraces;
import dev.weir.gateway.tracing.Tracing;
import java.net.URI;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Traces of queries, where a collector is configured. */
@Configuration(proxyBeanMethods = false)
@Conditional(TracingConfiguration.On.class)
class TracingConfiguration {

    @Bean(destroyMethod = "close")
    Tracing tracing(WeirProperties properties) {
        TracingProperties given = properties.tracing();
        URI endpoint = given.endpoint();
        if (endpoint == null || endpoint.getHost() == null) {
            throw new StartFailedException("weir.tracing.endpoint must be like http://collector:4318/v1/traces");
        }
        if (!(given.sampling() >= 0 && given.sampling() <= 1)) {
            throw new StartFailedException("weir.tracing.sampling must be 0 to 1");
        }
        return Tracing.toOtlp(endpoint, "weir", given.sampling());
    }

    @Bean
    QueryTraces queryTraces(Tracing tracing) {
        return new QueryTraces(tracing.registry());
    }

    /** A collector is configured. */
    static final class On implements Condition {
        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            return GatewayEnvironment.bind(context.getEnvironment()).tracing().endpoint() != null;
        }
    }
}
