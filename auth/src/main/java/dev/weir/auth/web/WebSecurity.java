package dev.weir.auth.web;

import dev.weir.auth.AuthenticationFailedException;
import dev.weir.auth.AuthenticationFailedException.Reason;
import dev.weir.auth.Authenticator;
import dev.weir.auth.Identity;
import dev.weir.auth.Role;
import org.jspecify.annotations.Nullable;
import org.springframework.security.config.web.server.SecurityWebFiltersOrder;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity.AuthorizeExchangeSpec;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.security.web.server.ServerAuthenticationEntryPoint;
import org.springframework.security.web.server.WebFilterExchange;
import org.springframework.security.web.server.authentication.AuthenticationWebFilter;
import org.springframework.security.web.server.authentication.ServerAuthenticationEntryPointFailureHandler;
import org.springframework.security.web.server.authorization.ServerAccessDeniedHandler;
import org.springframework.security.web.server.context.NoOpServerSecurityContextRepository;
import org.springframework.security.web.server.header.StaticServerHttpHeadersWriter;
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
                .addFilterAt(authentication(authenticator, rules, explaining), SecurityWebFiltersOrder.AUTHENTICATION)
                .authorizeExchange(paths -> authorize(paths, rules))
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

    private static void authorize(AuthorizeExchangeSpec paths, WebSecurityRules rules) {
        if (!rules.anonymousPaths().isEmpty()) {
            paths.pathMatchers(rules.anonymousPaths().toArray(new String[0])).permitAll();
        }
        if (!rules.adminPaths().isEmpty()) {
            paths.pathMatchers(rules.adminPaths().toArray(new String[0]))
                    .hasAuthority(IdentityToken.authority(Role.ADMIN));
        }
        paths.anyExchange().authenticated();
    }

    /** Answers are for their caller alone, and are what their Content-Type says. */
    private static void headers(ServerHttpSecurity.HeaderSpec headers) {
        headers.cache(ServerHttpSecurity.HeaderSpec.CacheSpec::disable)
                .frameOptions(ServerHttpSecurity.HeaderSpec.FrameOptionsSpec::disable)
                .hsts(ServerHttpSecurity.HeaderSpec.HstsSpec::disable)
                .xssProtection(ServerHttpSecurity.HeaderSpec.XssProtectionSpec::disable)
                .writer(StaticServerHttpHeadersWriter.builder()
                        .header("Cache-Control", "no-store")
                        .build());
    }

    private static AuthenticationException explained(AuthenticationException refused) {
        if (refused.getCause() instanceof AuthenticationFailedException) {
            return refused;
        }
        return new RefusedException(new AuthenticationFailedException(
                Reason.MISSING, "Credentials are needed: Basic or Bearer in the Authorization header."));
    }
}
