package dev.weir.auth.web;

import dev.weir.auth.AuthenticationFailedException;
import dev.weir.auth.AuthenticationFailedException.Reason;
import dev.weir.auth.Authenticator;
import dev.weir.auth.Credentials;
import dev.weir.auth.Identity;
import dev.weir.auth.Role;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Knows the users reader, writer and admin: their password is "secret", their bearer their name. */
final class FakeAuthenticator implements Authenticator, AutoCloseable {

    static final String HASHING_THREAD = "fake-hashing";

    private final ExecutorService hashing = Executors.newSingleThreadExecutor(task -> new Thread(task, HASHING_THREAD));

    @Override
    public CompletionStage<Identity> authenticate(Credentials credentials) {
        if (credentials instanceof Credentials.Password password) {
            if (password.password().equals("slow secret")) {
                return CompletableFuture.supplyAsync(() -> identity(password.user()), hashing);
            }
            if (password.password().equals("slow wrong")) {
                return CompletableFuture.supplyAsync(() -> refuse(Reason.WRONG), hashing);
            }
            return password.password().equals("secret")
                    ? CompletableFuture.completedFuture(identity(password.user()))
                    : CompletableFuture.failedFuture(new AuthenticationFailedException(
                            password.password().equals("busy") ? Reason.BUSY : Reason.WRONG, "no"));
        }
        if (credentials instanceof Credentials.Bearer bearer) {
            return bearer.token().equals("expired")
                    ? CompletableFuture.failedFuture(new AuthenticationFailedException(Reason.EXPIRED, "no"))
                    : CompletableFuture.completedFuture(identity(bearer.token()));
        }
        return CompletableFuture.completedFuture(identity(((Credentials.ClientCertificate) credentials).commonName()));
    }

    @Override
    public String issueBearer(Identity identity) {
        return identity.user();
    }

    @Override
    public void close() {
        hashing.shutdownNow();
    }

    private static Identity refuse(Reason reason) {
        throw new AuthenticationFailedException(reason, "no");
    }

    private static Identity identity(String user) {
        return new Identity(user, List.of("g"), Role.valueOf(user.toUpperCase(Locale.ROOT)));
    }
}
