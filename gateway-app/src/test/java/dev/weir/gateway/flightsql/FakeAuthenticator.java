package dev.weir.gateway.flightsql;

import dev.weir.auth.AuthenticationFailedException;
import dev.weir.auth.AuthenticationFailedException.Reason;
import dev.weir.auth.Authenticator;
import dev.weir.auth.Credentials;
import dev.weir.auth.Identity;
import dev.weir.auth.Role;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Users whose password is "secret-" and their name; every bearer is new. */
final class FakeAuthenticator implements Authenticator {

    static final Map<String, Role> USERS = Map.of("ann", Role.WRITER, "bob", Role.READER, "root", Role.ADMIN);

    final Map<String, Identity> bearers = new ConcurrentHashMap<>();
    final AtomicInteger checks = new AtomicInteger();

    /** Answers come on another thread when set. */
    volatile boolean slow;

    /** Answers never come when set. */
    volatile boolean busy;

    static String passwordOf(String user) {
        return "secret-" + user;
    }

    static Identity identity(String user) {
        return new Identity(user, List.of(), USERS.get(user));
    }

    @Override
    public CompletionStage<Identity> authenticate(Credentials credentials) {
        checks.incrementAndGet();
        if (busy) {
            return CompletableFuture.failedFuture(new AuthenticationFailedException(Reason.BUSY, "Too many checks."));
        }
        return slow
                ? CompletableFuture.supplyAsync(
                        () -> check(credentials),
                        CompletableFuture.delayedExecutor(20, java.util.concurrent.TimeUnit.MILLISECONDS))
                : CompletableFuture.completedFuture(credentials).thenApply(this::check);
    }

    private Identity check(Credentials credentials) {
        if (credentials instanceof Credentials.Password password
                && USERS.containsKey(password.user())
                && passwordOf(password.user()).equals(password.password())) {
            return identity(password.user());
        }
        if (credentials instanceof Credentials.Bearer bearer && bearers.containsKey(bearer.token())) {
            return bearers.get(bearer.token());
        }
        if (credentials instanceof Credentials.ClientCertificate certificate
                && USERS.containsKey(certificate.commonName())) {
            return identity(certificate.commonName());
        }
        throw new AuthenticationFailedException(Reason.WRONG, "The user name or password is wrong.");
    }

    @Override
    public String issueBearer(Identity identity) {
        String token = "token-" + identity.user() + "-" + bearers.size();
        bearers.put(token, identity);
        return token;
    }
}
