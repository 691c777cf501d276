package dev.weir.auth.web;

import dev.weir.auth.AuthenticationFailedException;
import dev.weir.auth.Authenticator;
import dev.weir.auth.Identity;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.springframework.security.authentication.ReactiveAuthenticationManager;
import org.springframework.security.core.Authentication;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Checks credentials by the {@link Authenticator}. */
final class IdentityManager implements ReactiveAuthenticationManager {

    private final Authenticator authenticator;

    IdentityManager(Authenticator authenticator) {
        this.authenticator = authenticator;
    }

    @Override
    public Mono<Authentication> authenticate(Authentication authentication) {
        if (!(authentication instanceof CredentialsToken token)) {
            return Mono.empty();
        }
        CompletableFuture<Identity> checked =
                authenticator.authenticate(token.getCredentials()).toCompletableFuture();
        if (checked.isDone()) {
            return known(checked);
        }
        // The rest of the request must not run on the few threads that hash.
        return Mono.fromFuture(checked, true)
                .publishOn(Schedulers.parallel())
                .<Authentication>map(IdentityToken::new)
                .onErrorMap(AuthenticationFailedException.class, RefusedException::new);
    }

    private static Mono<Authentication> known(CompletableFuture<Identity> checked) {
        try {
            return Mono.just(new IdentityToken(checked.join()));
        } catch (CompletionException e) {
            return Mono.error(
                    e.getCause() instanceof AuthenticationFailedException failed ? new RefusedException(failed) : e);
        }
    }
}
