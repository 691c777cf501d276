package dev.weir.gateway.config;

import dev.weir.gateway.http.HttpFront;
import dev.weir.gateway.query.QueryService;
import org.apache.arrow.memory.BufferAllocator;
import org.springframework.context.annotation.*;
import org.springframework.core.annotation.Order;
import org.springframework.web.reactive.function.server.*;
import org.springframework.web.server.WebExceptionHandler;

@Configuration(proxyBeanMethods = false)
class HttpFrontConfiguration {
    @Bean(destroyMethod = "close")
    HttpFront httpFront(QueryService queries, WeirProperties properties, BufferAllocator allocator) {
        return new HttpFront(queries, properties.http().maxBodySize(), allocator);
    }

    @Bean
    RouterFunction<ServerResponse> httpRoutes(HttpFront front) {
        return front.routes();
    }

    @Bean
    @Order(-2)
    WebExceptionHandler httpProblems(HttpFront front) {
        return front.exceptionHandler();
    }
}
