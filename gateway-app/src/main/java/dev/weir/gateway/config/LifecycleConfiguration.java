package dev.weir.gateway.config;

import dev.weir.auth.AuthModule;
import dev.weir.auth.tls.TlsMaterial;
import dev.weir.gateway.flightsql.FlightSqlFront;
import dev.weir.gateway.query.Drains;
import java.util.Objects;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What happens after both fronts listen, and before they stop. */
@Configuration(proxyBeanMethods = false)
class LifecycleConfiguration {

    @Bean
    GatewayLifecycle gatewayLifecycle(
            WeirProperties properties,
            AuthModule auth,
            InternalAuthenticator authenticator,
            ObjectProvider<TlsMaterial> tls,
            Drains drains,
            RuntimeLimits limits,
            Readiness readiness,
            FlightSqlFront flight,
            WebServerApplicationContext web) {
        GatewayLifecycle.Ports ports = new GatewayLifecycle.Ports() {
            @Override
            public int http() {
                return Objects.requireNonNull(web.getWebServer()).getPort();
            }

            @Override
            public int flight() {
                return flight.port();
            }

            @Override
            public int management() {
                Integer port = web.getEnvironment().getProperty("local.management.port", Integer.class);
                return port == null ? properties.management().port() : port;
            }
        };
        FirstAdmin admin = new FirstAdmin(auth.userStore(), System.getenv("WEIR_ADMIN_PASSWORD"));
        return new GatewayLifecycle(
                properties, ports, admin, authenticator, tls.getIfAvailable(), drains, limits, readiness);
    }
}
