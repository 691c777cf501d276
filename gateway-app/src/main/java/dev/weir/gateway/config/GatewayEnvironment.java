package dev.weir.gateway.config;

import java.util.HashMap;
import java.util.Map;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/**
 * Carries the {@code weir} properties over to the Spring Boot properties that they decide, before anything is made.
 * They win over those given directly: there is one name for each setting.
 */
final class GatewayEnvironment {

    /** The SSL bundle that both HTTP servers use. */
    static final String SSL_BUNDLE = "weir";

    private GatewayEnvironment() {}

    static void prepare(ConfigurableEnvironment environment) {
        WeirProperties properties = Binder.get(environment)
                .bindOrCreate(
                        "weir", org.springframework.boot.context.properties.bind.Bindable.of(WeirProperties.class));
        PortChecks.check(properties);
        boolean plaintext = properties.tls().allowPlaintext();
        Map<String, Object> derived = new HashMap<>();
        derived.put("server.port", properties.http().port());
        if (!properties.http().address().isEmpty()) {
            derived.put("server.address", properties.http().address());
        }
        if (!plaintext) {
            derived.put("server.ssl.bundle", SSL_BUNDLE);
        }
        WeirProperties.Management management = properties.management();
        derived.put("management.server.port", management.port());
        if (!management.address().isEmpty()) {
            derived.put("management.server.address", management.address());
        }
        if (!plaintext && !PortChecks.isLoopback("weir.management", management.address())) {
            derived.put("management.server.ssl.bundle", SSL_BUNDLE);
        }
        environment.getPropertySources().addFirst(new MapPropertySource("weir-derived", derived));
    }
}
