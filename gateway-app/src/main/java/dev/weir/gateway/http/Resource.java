package dev.weir.gateway.http;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeSet;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.web.reactive.function.server.HandlerFunction;
import org.springframework.web.reactive.function.server.RequestPredicates;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;

/** One address with its methods; answers OPTIONS, and any other method with 405 and what is allowed. */
final class Resource {

    private final String pattern;
    private final Map<HttpMethod, HandlerFunction<ServerResponse>> handlers = new LinkedHashMap<>();

    Resource(String pattern) {
        this.pattern = pattern;
    }

    Resource on(HttpMethod method, HandlerFunction<ServerResponse> handler) {
        handlers.put(method, handler);
        return this;
    }

    RouterFunction<ServerResponse> route() {
        return RouterFunctions.route(RequestPredicates.path(pattern), this::handle);
    }

    private Mono<ServerResponse> handle(ServerRequest request) {
        HandlerFunction<ServerResponse> handler = handlers.get(request.method());
        if (handler != null) {
            return handler.handle(request);
        }
        if (request.method().equals(HttpMethod.OPTIONS)) {
            return ServerResponse.noContent().header(HttpHeaders.ALLOW, allow()).build();
        }
        return Mono.error(HttpProblem.methodNotAllowed(request.method(), allow()));
    }

    private String allow() {
        TreeSet<String> names = new TreeSet<>();
        names.add(HttpMethod.OPTIONS.name());
        handlers.keySet().forEach(method -> names.add(method.name()));
        return String.join(", ", names);
    }
}
