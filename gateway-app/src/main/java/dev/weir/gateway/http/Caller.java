package dev.weir.gateway.http;

import dev.weir.auth.Identity;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import org.springframework.security.core.Authentication;
import org.springframework.web.reactive.function.server.ServerRequest;
import reactor.core.publisher.Mono;

/** Who sent a request: the identity that the security filters found. */
final class Caller {

    private Caller() {}

    static Mono<Identity> of(ServerRequest request) {
        return request.exchange()
                .getPrincipal()
                .mapNotNull(principal -> principal instanceof Authentication authentication
                                && authentication.getPrincipal() instanceof Identity identity
                        ? identity
                        : null)
                .switchIfEmpty(Mono.error(() -> new GatewayException(
                        GatewayErrorCode.UNAUTHENTICATED, "The request carries no identity of a user.")));
    }
}
