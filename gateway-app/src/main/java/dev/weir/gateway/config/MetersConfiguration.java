package dev.weir.gateway.config;

import dev.weir.auth.AuthenticationFailedException.Reason;
import dev.weir.auth.tls.TlsMaterial;
import dev.weir.gateway.metrics.FlightMeters;
import dev.weir.gateway.metrics.LoginMeters;
import dev.weir.gateway.metrics.ProcessMeters;
import dev.weir.gateway.query.DefaultQueryService;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.apache.arrow.flight.impl.FlightServiceGrpc;
import org.apache.arrow.memory.BufferAllocator;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.info.BuildProperties;
import org.springframework.boot.info.GitProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Meters over what is neither a query nor an engine. */
@Configuration(proxyBeanMethods = false)
class MetersConfiguration {

    /** The others are no credentials. */
    private static final List<Reason> REFUSED = List.of(Reason.WRONG, Reason.EXPIRED, Reason.BUSY);

    @Bean
    LoginMeters loginMeters(MeterRegistry registry) {
        return new LoginMeters(
                registry, REFUSED.stream().map(MetersConfiguration::label).toList());
    }

    static String label(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    @Bean
    FlightCalls flightCalls(MeterRegistry registry, Readiness readiness) {
        List<String> methods = FlightServiceGrpc.getServiceDescriptor().getMethods().stream()
                .flatMap(method -> Stream.ofNullable(method.getBareMethodName()))
                .toList();
        return new FlightCalls(new FlightMeters(registry, methods), readiness::isOpen);
    }

    @Bean
    MeterBinder processMeters(
            ObjectProvider<BuildProperties> build,
            ObjectProvider<GitProperties> git,
            ObjectProvider<TlsMaterial> tls,
            DefaultQueryService service,
            BufferAllocator allocator,
            Clock clock) {
        return registry -> {
            build(registry, build.getIfAvailable(), git.getIfAvailable());
            TlsMaterial material = tls.getIfAvailable();
            if (material != null) {
                ProcessMeters.certificate(
                        registry,
                        () -> Duration.between(clock.instant(), material.notAfter())
                                .toSeconds());
            }
            ProcessMeters.fronts(registry, service::uploadBytes, allocator::getAllocatedMemory);
        };
    }

    static void build(MeterRegistry registry, @Nullable BuildProperties build, @Nullable GitProperties git) {
        String version = build == null ? null : build.getVersion();
        String commit = git == null ? null : git.getShortCommitId();
        ProcessMeters.build(registry, version == null ? "unknown" : version, commit == null ? "unknown" : commit);
    }
}
