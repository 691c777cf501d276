package dev.weir.auth.web;

import dev.weir.auth.AuthenticationFailedException;
import dev.weir.auth.AuthenticationFailedException.Reason;
import dev.weir.auth.AuthorizationHeader;
import dev.weir.auth.Credentials;
import dev.weir.auth.tls.ClientCertificates;
import java.security.cert.X509Certificate;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.SslInfo;
import org.springframework.security.core.Authentication;
import org.springframework.security.web.server.authentication.ServerAuthenticationConverter;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** Finds the credentials of a request: its Authorization header, else the client certificate of its connection. */
final class RequestCredentials implements ServerAuthenticationConverter {

    private final boolean clientCertificates;

    /** @param clientCertificates whether client certificates count; they are verified by the TLS layer */
    RequestCredentials(boolean clientCertificates) {
        this.clientCertificates = clientCertificates;
    }

    @Override
    public Mono<Authentication> convert(ServerWebExchange exchange) {
        try {
            Credentials credentials = find(exchange.getRequest());
            return credentials == null ? Mono.empty() : Mono.just(new CredentialsToken(credentials));
        } catch (AuthenticationFailedException e) {
            return Mono.error(new RefusedException(e));
        }
    }

    private @Nullable Credentials find(ServerHttpRequest request) {
        List<String> headers = request.getHeaders().get(HttpHeaders.AUTHORIZATION);
        if (headers == null || headers.isEmpty()) {
            return clientCertificates ? certificate(request.getSslInfo()) : null;
        }
        if (headers.size() > 1) {
            throw new AuthenticationFailedException(
                    Reason.MALFORMED, "The request has more than one Authorization header.");
        }
        return AuthorizationHeader.parse(headers.get(0));
    }

    private static @Nullable Credentials certificate(@Nullable SslInfo tls) {
        X509Certificate[] chain = tls == null ? null : tls.getPeerCertificates();
        if (chain == null || chain.length == 0) {
            return null;
        }
        String commonName = ClientCertificates.commonName(chain[0]);
        if (commonName == null) {
            throw new AuthenticationFailedException(Reason.WRONG, "The client certificate has no common name.");
        }
        return new Credentials.ClientCertificate(commonName);
    }
}
