package dev.weir.gateway.config;

import dev.weir.gateway.http.HttpFront;
import dev.weir.gateway.http.HttpFrontSettings;
import dev.weir.gateway.query.DrainControl;
import dev.weir.gateway.query.QueryService;
import java.time.Clock;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.reactor.netty.NettyServerCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.web.server.firewall.ServerExchangeRejectedHandler;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.springframework.web.server.WebExceptionHandler;

/**
 * The HTTP front, its routes, and how failures look; the security filters ask the front itself how a 401 and a 403 look.
 * Port and TLS of the server are set elsewhere.
 */
@Configuration(proxyBeanMethods = false)
public class HttpFrontConfiguration {

    @Bean(destroyMethod = "close")
    HttpFront httpFront(
            WeirProperties properties, QueryService queries, DrainControl drains, ObjectProvider<Clock> clock) {
        WeirProperties.Results results = properties.results();
        HttpFrontSettings settings = new HttpFrontSettings(
                properties.http().maxBodySize(),
                properties.dataDir().resolve("results"),
                results.timeToLive(),
                results.maxBytesPerUser(),
                results.minFreeDisk(),
                results.maxPartitions(),
                properties.admission().clientStallTimeout());
        return new HttpFront(queries, drains, settings, clock.getIfAvailable(Clock::systemUTC));
    }

    @Bean
    RouterFunction<ServerResponse> httpRoutes(HttpFront front) {
        return front.routes();
    }

    @Bean
    WebExceptionHandler httpProblems(HttpFront front) {
        return front.exceptionHandler();
    }

    @Bean
    ServerExchangeRejectedHandler httpRejections(HttpFront front) {
        return front.rejectedHandler();
    }

    @Bean
    NettyServerCustomizer httpTransportProblems() {
        return HttpFront::customize;
    }
}
