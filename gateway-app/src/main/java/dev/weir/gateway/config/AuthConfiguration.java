package dev.weir.gateway.config;

import dev.weir.auth.AuthModule;
import dev.weir.auth.AuthSettings;
import dev.weir.auth.tls.TlsException;
import dev.weir.auth.tls.TlsMaterial;
import dev.weir.auth.tls.TlsSettings;
import dev.weir.auth.token.TicketSigner;
import dev.weir.auth.user.UsersFileException;
import dev.weir.gateway.metrics.LoginMeters;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Clock;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Users, tokens and certificates. */
@Configuration(proxyBeanMethods = false)
class AuthConfiguration {

    @Bean(destroyMethod = "close")
    AuthModule authModule(WeirProperties properties, Clock clock) {
        try {
            return AuthModule.open(new AuthSettings(
                    dataDir(properties),
                    properties.auth().usersFile(),
                    properties.auth().tokenKeyFile(),
                    properties.auth().bearerTimeToLive(),
                    clock));
        } catch (UsersFileException e) {
            throw new StartFailedException(String.valueOf(e.getMessage()), e);
        } catch (UncheckedIOException e) {
            throw new StartFailedException(String.valueOf(e.getMessage()), e);
        }
    }

    @Bean
    InternalAuthenticator authenticator(AuthModule auth, LoginMeters logins) {
        return new InternalAuthenticator(
                auth.authenticator(), reason -> logins.failed(MetersConfiguration.label(reason)));
    }

    @Bean
    TicketSigner ticketSigner(AuthModule auth) {
        return auth.ticketSigner();
    }

    @Bean(destroyMethod = "close")
    @Conditional(TlsActive.class)
    TlsMaterial tlsMaterial(WeirProperties properties, Clock clock) {
        return material(properties, clock);
    }

    static TlsMaterial material(WeirProperties properties, Clock clock) {
        WeirProperties.Tls tls = properties.tls();
        try {
            return TlsMaterial.open(
                    new TlsSettings(dataDir(properties), tls.certificate(), tls.privateKey(), tls.clientCa()), clock);
        } catch (TlsException e) {
            throw new StartFailedException(String.valueOf(e.getMessage()), e);
        }
    }

    private static Path dataDir(WeirProperties properties) {
        return properties.dataDir().toAbsolutePath().normalize();
    }

    /** Whether the fronts speak TLS. */
    static final class TlsActive implements Condition {
        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            return GatewayEnvironment.bind(context.getEnvironment()).tls().active();
        }
    }
}
