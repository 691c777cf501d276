package dev.weir.gateway.config;

import java.util.HashMap;
import java.util.Map;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.core.env.MapPropertySource;

/**
 * Carries the {@code weir} properties over to the Spring Boot properties that they decide, before anything is made.
 * They win over those given directly: there is one name for each setting.
 */
final class GatewayEnvironment {

    /** The SSL bundle that both HTTP servers use. */
    static final String SSL_BUNDLE = "weir";

    private GatewayEnvironment() {}

    /** Binds as the application does later: an unknown key fails here already, before anything is made for the start. */
    static WeirProperties bind(Environment environment) {
        return Binder.get(environment)
                .bindOrCreate(
                        "weir",
                        Bindable.of(WeirProperties.class),
                        new NoUnboundElementsBindHandler(BindHandler.DEFAULT, new UnboundElementsSourceFilter()));
    }

    static void prepare(ConfigurableEnvironment environment) {
        WeirProperties properties = bind(environment);
        PortChecks.check(properties);
        checkPlaintext(properties);
        boolean plaintext = !properties.tls().active();
        Map<String, Object> derived = new HashMap<>();
        derived.put("server.port", properties.http().port());
        if (!properties.http().address().isEmpty()) {
            derived.put("server.address", properties.http().address());
        }
        if (!plaintext) {
            derived.put("server.ssl.bundle", SSL_BUNDLE);
            if (properties.tls().clientCa() != null) {
                derived.put("server.ssl.client-auth", "want");
            }
        }
        WeirProperties.Management management = properties.management();
        derived.put("management.server.port", management.port());
        if (!management.address().isEmpty()) {
            derived.put("management.server.address", management.address());
        }
        if (!plaintext && !PortChecks.isLoopback("weir.management", management.address())) {
            derived.put("management.server.ssl.bundle", SSL_BUNDLE);
        } else {
            // Without a word of its own the management server would take the front's TLS.
            derived.put("management.server.ssl.enabled", false);
        }
        environment.getPropertySources().addFirst(new MapPropertySource("weir-derived", derived));
    }

    private static void checkPlaintext(WeirProperties properties) {
        if (properties.tls().active() || properties.tls().allowPlaintext()) {
            return;
        }
        if (!PortChecks.isLoopback("weir.http", properties.http().address())
                || !PortChecks.isLoopback("weir.flight", properties.flight().address())) {
            throw new StartFailedException(
                    "weir.tls.enabled is false, but weir.http.address and weir.flight.address are"
                            + " not both loopback; set them to 127.0.0.1, or set weir.tls.allow-plaintext");
        }
    }
}
