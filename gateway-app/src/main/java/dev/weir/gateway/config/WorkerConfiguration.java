package dev.weir.gateway.config;

import dev.weir.auth.AuthenticationFailedException;
import dev.weir.auth.Authenticator;
import dev.weir.auth.Credentials;
import dev.weir.auth.Identity;
import dev.weir.auth.tls.TlsMaterial;
import dev.weir.auth.web.WebSecurity;
import dev.weir.auth.web.WebSecurityRules;
import dev.weir.engine.EngineNode;
import dev.weir.engine.QueryEngine;
import dev.weir.engine.worker.WorkerServer;
import dev.weir.engine.worker.WorkerSettings;
import dev.weir.gateway.metrics.ServedMeters;
import dev.weir.gateway.tracing.Tracing;
import dev.weir.gateway.tracing.WorkerTraces;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.info.BuildProperties;
import org.springframework.boot.info.GitProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatus;
import org.springframework.security.config.observation.SecurityObservationSettings;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.security.web.server.authentication.HttpStatusServerEntryPoint;
import org.springframework.security.web.server.authorization.HttpStatusServerAccessDeniedHandler;

/** The parts of a worker process beside its engine. */
@Configuration(proxyBeanMethods = false)
class WorkerConfiguration {

    @Bean
    Clock clock() {
        return Clock.systemUTC();
    }

    @Bean(destroyMethod = "close")
    RealTimers timers() {
        return new RealTimers();
    }

    @Bean(destroyMethod = "close")
    @Conditional(AuthConfiguration.TlsActive.class)
    TlsMaterial tlsMaterial(WeirProperties properties, Clock clock) {
        return AuthConfiguration.material(properties, clock);
    }

    /** Made before the engine is used by anybody: a worker without a secret serves nobody. */
    @Bean(destroyMethod = "close")
    WorkerServer workerServer(WeirProperties properties, QueryEngine engine, ObjectProvider<TlsMaterial> tls) {
        byte[] secret = ClusterSecret.read(properties.cluster().secretFile());
        TlsMaterial material = tls.getIfAvailable();
        WorkerProcessProperties worker = properties.worker();
        return new WorkerServer(
                engine,
                new WorkerSettings(
                        name(properties),
                        worker.address(),
                        worker.port(),
                        material == null ? null : material.keyManager(),
                        secret,
                        WorkerEnvironment.slots(properties),
                        WorkerEnvironment.memoryBytes(properties),
                        WorkerSettings.DEFAULT_WINDOW_BYTES,
                        WorkerSettings.DEFAULT_HEARTBEAT_TIMEOUT,
                        engine.nodes().stream()
                                .map(EngineNode::limit)
                                .findFirst()
                                .orElse("engine"),
                        () -> 0));
    }

    private static String name(WeirProperties properties) {
        String given = properties.worker().name();
        return given == null || given.isBlank()
                ? machine() + ":" + properties.worker().port()
                : given.strip();
    }

    /** What this machine is called. */
    static String machine() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }

    @Bean
    Readiness readiness(QueryEngine engine, RealTimers timers) {
        return new Readiness(() -> engine.check().result().handle((nothing, thrown) -> thrown == null), timers);
    }

    @Bean
    WorkerLifecycle workerLifecycle(
            WeirProperties properties,
            WorkerServer server,
            QueryEngine engine,
            Readiness readiness,
            MeterRegistry registry,
            ObjectProvider<TlsMaterial> tls,
            ObjectProvider<BuildProperties> build,
            ObjectProvider<GitProperties> git,
            ObjectProvider<Tracing> tracing) {
        tracing.ifAvailable(on -> server.watch(new WorkerTraces(on.registry(), name(properties))::follow));
        MetersConfiguration.build(registry, build.getIfAvailable(), git.getIfAvailable());
        ServedMeters.register(registry, engine, server::running, readiness::isReady);
        return new WorkerLifecycle(properties, name(properties), server, readiness, tls.getIfAvailable());
    }

    /** What is exposed is for everybody who reaches the port, since there are no users; the rest is for nobody. */
    @Bean
    SecurityWebFilterChain securityWebFilterChain() {
        List<String> anonymous = new ArrayList<>(SecurityConfiguration.HEALTH);
        anonymous.add("/actuator/prometheus");
        anonymous.add("/actuator/info");
        return WebSecurity.chain(
                new Nobody(),
                new WebSecurityRules(anonymous, List.of(), false),
                new HttpStatusServerEntryPoint(HttpStatus.UNAUTHORIZED),
                new HttpStatusServerAccessDeniedHandler(HttpStatus.FORBIDDEN));
    }

    @Bean
    SecurityObservationSettings securityObservationSettings() {
        return SecurityObservationSettings.noObservations();
    }

    /** Knows no user. */
    private static final class Nobody implements Authenticator {

        @Override
        public CompletionStage<Identity> authenticate(Credentials credentials) {
            return CompletableFuture.failedFuture(new AuthenticationFailedException(
                    AuthenticationFailedException.Reason.WRONG, "A worker has no users."));
        }

        @Override
        public String issueBearer(Identity identity) {
            throw new UnsupportedOperationException("A worker has no users");
        }
    }
}
