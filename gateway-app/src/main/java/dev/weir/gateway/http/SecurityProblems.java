package dev.weir.gateway.http;

import dev.weir.auth.AuthenticationFailedException;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.web.server.ServerAuthenticationEntryPoint;
import org.springframework.security.web.server.authorization.ServerAccessDeniedHandler;
import org.springframework.security.web.server.firewall.ServerExchangeRejectedException;
import org.springframework.security.web.server.firewall.ServerExchangeRejectedHandler;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** How refusals of the security filters look: problem+json as everything else. */
final class SecurityProblems
        implements ServerAuthenticationEntryPoint, ServerAccessDeniedHandler, ServerExchangeRejectedHandler {

    private static final List<String> CHALLENGES =
            List.of("Basic realm=\"weir\", charset=\"UTF-8\"", "Bearer realm=\"weir\"");

    @Override
    public Mono<Void> commence(ServerWebExchange exchange, AuthenticationException thrown) {
        AuthenticationFailedException reason = reason(thrown);
        String message = reason == null ? null : reason.getMessage();
        if (reason != null && message != null) {
            if (reason.reason() == AuthenticationFailedException.Reason.BUSY) {
                return Problems.write(exchange, new GatewayException(GatewayErrorCode.RATE_LIMITED, message));
            }
            if (reason.reason() == AuthenticationFailedException.Reason.MISSING) {
                message = null;
            }
        }
        String detail = message != null
                ? message
                : "Give a user and password (Basic) or a token (Bearer) in the Authorization header.";
        HttpHeaders headers = new HttpHeaders();
        headers.put(HttpHeaders.WWW_AUTHENTICATE, CHALLENGES);
        return Problems.write(exchange, new GatewayException(GatewayErrorCode.UNAUTHENTICATED, detail), 401, headers);
    }

    @Override
    public Mono<Void> handle(ServerWebExchange exchange, AccessDeniedException denied) {
        return Problems.write(
                exchange,
                new GatewayException(
                        GatewayErrorCode.FORBIDDEN, "Your role does not allow this; ask an administrator."));
    }

    /** The exception's message would show the address. */
    @Override
    public Mono<Void> handle(ServerWebExchange exchange, ServerExchangeRejectedException rejected) {
        return Problems.write(
                exchange,
                new GatewayException(
                        GatewayErrorCode.INVALID_REQUEST,
                        "The request's method, address or headers have a form that is not accepted."));
    }

    private static @Nullable AuthenticationFailedException reason(@Nullable Throwable thrown) {
        for (Throwable t = thrown; t != null; t = t.getCause()) {
            if (t instanceof AuthenticationFailedException failed) {
                return failed;
            }
        }
        return null;
    }
}
