package dev.weir.gateway.config;

import dev.weir.auth.Authenticator;
import dev.weir.auth.tls.TlsMaterial;
import dev.weir.auth.token.TicketSigner;
import dev.weir.engine.QueryEngine;
import dev.weir.gateway.flightsql.FlightSqlBackend;
import dev.weir.gateway.flightsql.FlightSqlFront;
import dev.weir.gateway.flightsql.FlightSqlSettings;
import dev.weir.gateway.flightsql.FlightTls;
import dev.weir.gateway.metrics.SessionMeters;
import dev.weir.gateway.query.DefaultQueryService;
import dev.weir.gateway.query.QueryService;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.info.BuildProperties;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Puts the Flight SQL front together, and starts and stops it with the application. */
@Configuration(proxyBeanMethods = false)
class FlightFrontConfiguration {

    @Bean(destroyMethod = "close")
    FlightSqlFront flightSqlFront(
            WeirProperties properties,
            FlightSqlBackend backend,
            BufferAllocator allocator,
            ObjectProvider<TlsMaterial> tls,
            FlightCalls calls) {
        TlsMaterial material = tls.getIfAvailable();
        return new FlightSqlFront(
                settings(properties, material), backend, allocator, Clock.systemUTC(), List.of(calls));
    }

    @Bean
    FlightSqlBackend flightSqlBackend(
            QueryService queries,
            Authenticator authenticator,
            TicketSigner signer,
            QueryEngine engine,
            ObjectProvider<BuildProperties> build) {
        BuildProperties info = build.getIfAvailable();
        String version = info == null ? null : info.getVersion();
        return new FlightSqlBackend(
                queries,
                authenticator,
                signer,
                engine.info(),
                engine.hasTransactions(),
                version == null ? "" : version);
    }

    @Bean
    SessionMeters sessionMeters(MeterRegistry registry, DefaultQueryService queries, FlightSqlFront front) {
        return new SessionMeters(registry, queries::sessionFigures, front::openPreparedStatements);
    }

    @Bean
    SmartLifecycle flightSqlFrontLifecycle(FlightSqlFront front, WeirProperties properties) {
        return new SmartLifecycle() {
            @Override
            public void start() {
                front.start();
            }

            @Override
            public void stop() {
                front.stop(properties.shutdown().grace());
            }

            @Override
            public boolean isRunning() {
                return front.isRunning();
            }

            /** Before the warm-up calls it, and after the drain has let its streams finish. */
            @Override
            public int getPhase() {
                return GatewayLifecycle.PHASE - 1;
            }
        };
    }

    private static Duration positive(String name, Duration given) {
        if (given.isNegative() || given.isZero()) {
            throw new StartFailedException("weir.flight." + name + " must be positive");
        }
        return given;
    }

    private static int partitions(int given, int most) {
        if (given < 1 || given > most) {
            throw new StartFailedException(
                    "weir.flight.partitions must be 1 to weir.results.max-partitions (" + most + ")");
        }
        return given;
    }

    private static FlightSqlSettings settings(WeirProperties properties, @Nullable TlsMaterial tls) {
        WeirProperties.Flight flight = properties.flight();
        return new FlightSqlSettings(
                flight.address(),
                flight.port(),
                tls == null ? null : new FlightTls(tls.keyManager(), tls.clientTrustManager()),
                Math.toIntExact(flight.maxInboundMessageSize().toBytes()),
                Math.toIntExact(flight.maxHeaderSize().toBytes()),
                flight.ticketTimeToLive(),
                positive("poll-timeout", flight.pollTimeout()),
                positive("claim-timeout", flight.claimTimeout()),
                flight.maxPreparedStatements(),
                flight.preparedStatementTimeToLive(),
                flight.sessionTimeToLive(),
                partitions(flight.partitions(), properties.results().maxPartitions()),
                properties.results().maxPartitions(),
                flight.compression(),
                properties.admission().clientStallTimeout());
    }
}
