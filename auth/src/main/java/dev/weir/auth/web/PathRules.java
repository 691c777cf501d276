package dev.weir.auth.web;

import dev.weir.auth.Identity;
import dev.weir.auth.Role;
import java.util.List;
import org.springframework.http.server.PathContainer;
import org.springframework.security.authorization.AuthorizationDecision;
import org.springframework.security.authorization.AuthorizationResult;
import org.springframework.security.authorization.ReactiveAuthorizationManager;
import org.springframework.security.core.Authentication;
import org.springframework.security.web.server.authorization.AuthorizationContext;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;
import reactor.core.publisher.Mono;

/** Decides by path and role, in one pass over parsed patterns: this runs at every request. Immutable. */
final class PathRules implements ReactiveAuthorizationManager<AuthorizationContext> {

    private static final AuthorizationResult GRANTED = new AuthorizationDecision(true);
    private static final AuthorizationResult DENIED = new AuthorizationDecision(false);

    private final List<PathPattern> anonymous;
    private final List<PathPattern> admin;

    PathRules(WebSecurityRules rules) {
        this.anonymous = parse(rules.anonymousPaths());
        this.admin = parse(rules.adminPaths());
    }

    /** Whether the request needs no credentials. */
    boolean isAnonymous(ServerWebExchange exchange) {
        return matches(anonymous, exchange);
    }

    @Override
    public Mono<AuthorizationResult> authorize(Mono<Authentication> authentication, AuthorizationContext context) {
        if (isAnonymous(context.getExchange())) {
            return Mono.just(GRANTED);
        }
        Role needed = matches(admin, context.getExchange()) ? Role.ADMIN : Role.READER;
        return authentication.map(caller -> decide(caller, needed)).defaultIfEmpty(DENIED);
    }

    private static AuthorizationResult decide(Authentication caller, Role needed) {
        boolean granted = caller.isAuthenticated()
                && caller.getPrincipal() instanceof Identity identity
                && identity.role().includes(needed);
        return granted ? GRANTED : DENIED;
    }

    private static boolean matches(List<PathPattern> patterns, ServerWebExchange exchange) {
        PathContainer path = exchange.getRequest().getPath().pathWithinApplication();
        for (PathPattern pattern : patterns) {
            if (pattern.matches(path)) {
                return true;
            }
        }
        return false;
    }

    private static List<PathPattern> parse(List<String> patterns) {
        return patterns.stream().map(PathPatternParser.defaultInstance::parse).toList();
    }
}
