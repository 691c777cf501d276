package dev.weir.auth.web;

import static org.springframework.web.reactive.function.server.RouterFunctions.route;

import dev.weir.auth.AuthenticationFailedException;
import dev.weir.auth.Authenticator;
import dev.weir.auth.Identity;
import dev.weir.auth.tls.TlsMaterial;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContextBuilder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SSLException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.server.reactive.HttpHandler;
import org.springframework.http.server.reactive.ReactorHttpHandlerAdapter;
import org.springframework.security.core.Authentication;
import org.springframework.security.web.server.ServerAuthenticationEntryPoint;
import org.springframework.security.web.server.WebFilterChainProxy;
import org.springframework.security.web.server.authorization.ServerAccessDeniedHandler;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.adapter.WebHttpHandlerBuilder;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;

/** A WebFlux server behind the chain, that tells callers who they are. */
final class SecuredServer implements AutoCloseable {

    static final WebSecurityRules RULES =
            new WebSecurityRules(List.of("/livez", "/actuator/health/**"), List.of("/admin/**"), true);

    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(10);

    private final DisposableServer server;

    SecuredServer(Authenticator authenticator, TlsMaterial tls) throws SSLException {
        HttpServer http = HttpServer.create()
                .host("localhost")
                .port(0)
                .httpRequestDecoder(limits -> limits.maxHeaderSize(64 * 1024))
                .handle(new ReactorHttpHandlerAdapter(handler(authenticator)));
        this.server = (tls == null ? http : secured(http, tls)).bindNow(STOP_TIMEOUT);
    }

    int port() {
        return server.port();
    }

    @Override
    public void close() {
        server.disposeNow(STOP_TIMEOUT);
    }

    private static HttpServer secured(HttpServer http, TlsMaterial tls) throws SSLException {
        SslContextBuilder context =
                SslContextBuilder.forServer(tls.keyManager()).protocols(tls.protocols());
        if (tls.clientTrustManager() != null) {
            context.trustManager(tls.clientTrustManager()).clientAuth(ClientAuth.OPTIONAL);
        }
        var built = context.build();
        return http.secure(spec -> spec.sslContext(built));
    }

    static HttpHandler handler(Authenticator authenticator) {
        return WebHttpHandlerBuilder.webHandler(RouterFunctions.toWebHandler(route().GET("/**", SecuredServer::whoAmI)
                        .POST("/**", SecuredServer::whoAmI)
                        .build()))
                .filter(new WebFilterChainProxy(WebSecurity.chain(authenticator, RULES, entryPoint(), accessDenied())))
                .build();
    }

    private static Mono<ServerResponse> whoAmI(ServerRequest request) {
        Mono<String> byPrincipal = request.principal()
                .map(principal -> ((Identity) ((Authentication) principal).getPrincipal()).user())
                .defaultIfEmpty("nobody");
        Mono<String> byAttribute = WebSecurity.currentIdentity(request.exchange())
                .map(Identity::user)
                .defaultIfEmpty("nobody");
        return Mono.zip(byPrincipal, byAttribute)
                .flatMap(names -> ServerResponse.ok()
                        .header("X-Thread", Thread.currentThread().getName())
                        .bodyValue(names.getT1() + " " + names.getT2()));
    }

    private static ServerAuthenticationEntryPoint entryPoint() {
        return (exchange, refused) -> {
            AuthenticationFailedException why = (AuthenticationFailedException) refused.getCause();
            boolean busy = why.reason() == AuthenticationFailedException.Reason.BUSY;
            exchange.getResponse().getHeaders().set(HttpHeaders.WWW_AUTHENTICATE, "Basic realm=\"test\"");
            return answer(
                    exchange,
                    busy ? HttpStatus.TOO_MANY_REQUESTS : HttpStatus.UNAUTHORIZED,
                    why.reason().name());
        };
    }

    private static ServerAccessDeniedHandler accessDenied() {
        return (exchange, denied) -> answer(exchange, HttpStatus.FORBIDDEN, "DENIED");
    }

    private static Mono<Void> answer(ServerWebExchange exchange, HttpStatus status, String body) {
        exchange.getResponse().setStatusCode(status);
        return exchange.getResponse()
                .writeWith(
                        Mono.just(exchange.getResponse().bufferFactory().wrap(body.getBytes(StandardCharsets.UTF_8))));
    }
}
