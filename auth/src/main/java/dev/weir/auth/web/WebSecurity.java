package dev.weir.auth.web;

import dev.weir.auth.AuthenticationFailedException;
import dev.weir.auth.AuthenticationFailedException.Reason;
import dev.weir.auth.Authenticator;
import dev.weir.auth.Identity;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.security.config.web.server.SecurityWebFiltersOrder;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.security.web.server.ServerAuthenticationEntryPoint;
import org.springframework.security.web.server.WebFilterExchange;
import org.springframework.security.web.server.authentication.AuthenticationWebFilter;
import org.springframework.security.web.server.authentication.ServerAuthenticationEntryPointFailureHandler;
import org.springframework.security.web.server.authorization.ServerAccessDeniedHandler;
import org.springframework.security.web.server.context.NoOpServerSecurityContextRepository;
import org.springframework.security.web.server.util.matcher.ServerWebExchangeMatcher.MatchResult;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * The security filters of the HTTP front: Basic, Bearer and client certificates on every request; no sessions, cookies,
 * forms or request caches, and so no CSRF tokens.
 */
public final class WebSecurity {

    private static final String IDENTITY = WebSecurity.class.getName() + ".identity";

    private WebSecurity() {}

    /**
     * Makes the filter chain.
     *
     * @param entryPoint answers a request without valid credentials; the exception's cause is always an
     *     {@link AuthenticationFailedException} that says why (BUSY, too: then the credentials may be right)
     * @param accessDenied answers a user whose role does not allow the path
     */
    public static SecurityWebFilterChain chain(
            Authenticator authenticator,
            WebSecurityRules rules,
            ServerAuthenticationEntryPoint entryPoint,
            ServerAccessDeniedHandler accessDenied) {
        ServerAuthenticationEntryPoint explaining =
                (exchange, refused) -> entryPoint.commence(exchange, explained(refused));
        PathRules paths = new PathRules(rules);
        AuthenticationWebFilter authentication = authentication(authenticator, rules, explaining);
        authentication.setRequiresAuthenticationMatcher(
                exchange -> paths.isAnonymous(exchange) ? MatchResult.notMatch() : MatchResult.match());
        return ServerHttpSecurity.http()
                .securityContextRepository(NoOpServerSecurityContextRepository.getInstance())
                .requestCache(ServerHttpSecurity.RequestCacheSpec::disable)
                .csrf(ServerHttpSecurity.CsrfSpec::disable)
                .formLogin(ServerHttpSecurity.FormLoginSpec::disable)
                .httpBasic(ServerHttpSecurity.HttpBasicSpec::disable)
                .logout(ServerHttpSecurity.LogoutSpec::disable)
                .headers(WebSecurity::headers)
                .exceptionHandling(handling ->
                        handling.authenticationEntryPoint(explaining).accessDeniedHandler(accessDenied))
                .addFilterAt(authentication, SecurityWebFiltersOrder.AUTHENTICATION)
                .authorizeExchange(exchanges -> exchanges.anyExchange().access(paths))
                .build();
    }

    /** The caller of a request that passed the chain; empty on anonymous paths. */
    public static Mono<Identity> currentIdentity(ServerWebExchange exchange) {
        return Mono.justOrEmpty(identity(exchange));
    }

    /** The caller of a request that passed the chain, or null on anonymous paths. */
    public static @Nullable Identity identity(ServerWebExchange exchange) {
        return exchange.getAttribute(IDENTITY);
    }

    private static AuthenticationWebFilter authentication(
            Authenticator authenticator, WebSecurityRules rules, ServerAuthenticationEntryPoint entryPoint) {
        AuthenticationWebFilter filter = new AuthenticationWebFilter(new IdentityManager(authenticator));
        filter.setServerAuthenticationConverter(new RequestCredentials(rules.clientCertificates()));
        filter.setAuthenticationSuccessHandler(WebSecurity::goOn);
        filter.setAuthenticationFailureHandler(new ServerAuthenticationEntryPointFailureHandler(entryPoint));
        return filter;
    }

    private static Mono<Void> goOn(WebFilterExchange request, Authentication authentication) {
        if (authentication.getPrincipal() instanceof Identity identity) {
            request.getExchange().getAttributes().put(IDENTITY, identity);
        }
        return request.getChain().filter(request.getExchange());
    }

    /** Answers are for their caller alone, and are what their Content-Type says. */
    private static void headers(ServerHttpSecurity.HeaderSpec headers) {
        headers.cache(ServerHttpSecurity.HeaderSpec.CacheSpec::disable)
                .contentTypeOptions(ServerHttpSecurity.HeaderSpec.ContentTypeOptionsSpec::disable)
                .frameOptions(ServerHttpSecurity.HeaderSpec.FrameOptionsSpec::disable)
                .hsts(ServerHttpSecurity.HeaderSpec.HstsSpec::disable)
                .xssProtection(ServerHttpSecurity.HeaderSpec.XssProtectionSpec::disable)
                .writer(WebSecurity::writeHeaders);
    }

    private static Mono<Void> writeHeaders(ServerWebExchange exchange) {
        HttpHeaders headers = exchange.getResponse().getHeaders();
        if (!headers.containsHeader(HttpHeaders.CACHE_CONTROL)) {
            headers.set(HttpHeaders.CACHE_CONTROL, "no-store");
        }
        headers.set("X-Content-Type-Options", "nosniff");
        return Mono.empty();
    }

    private static AuthenticationException explained(AuthenticationException refused) {
        if (refused.getCause() instanceof AuthenticationFailedException) {
            return refused;
        }
        return new RefusedException(new AuthenticationFailedException(
                Reason.MISSING, "Credentials are needed: Basic or Bearer in the Authorization header."));
    }
}
