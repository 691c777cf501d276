package dev.weir.auth.user;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.weir.auth.AuthenticationFailedException;
import dev.weir.auth.AuthenticationFailedException.Reason;
import dev.weir.auth.Authenticator;
import dev.weir.auth.Credentials;
import dev.weir.auth.Identity;
import dev.weir.auth.token.BearerTokens;
import dev.weir.auth.user.Fingerprints.Fingerprint;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;

/**
 * Authenticates by the users file: every answer, remembered or not, is the file's present one.
 *
 * <p>Stages that are not complete at once complete on a hashing thread; what follows there must not block.
 */
public final class FileAuthenticator implements Authenticator, AutoCloseable {

    private static final int MAX_REMEMBERED_BEARERS = 10_000;

    private final UserStore users;
    private final BearerTokens tokens;
    private final PasswordChecks passwords;
    private final Fingerprints fingerprints = new Fingerprints();
    private final Cache<Fingerprint, BearerTokens.Claims> verified;

    /** Hashes on half of the cores. */
    public FileAuthenticator(UserStore users, BearerTokens tokens) {
        this(
                users,
                tokens,
                new Argon2Hasher(),
                Math.max(1, Runtime.getRuntime().availableProcessors() / 2),
                System::nanoTime);
    }

    FileAuthenticator(UserStore users, BearerTokens tokens, PasswordHasher hasher, int threads, LongSupplier nanoTime) {
        this.users = users;
        this.tokens = tokens;
        this.passwords = new PasswordChecks(users, hasher, threads, nanoTime);
        this.verified = Caffeine.newBuilder()
                .maximumSize(MAX_REMEMBERED_BEARERS)
                .expireAfterWrite(PasswordChecks.REMEMBER_RIGHT)
                .ticker(nanoTime::getAsLong)
                .executor(Runnable::run)
                .build();
    }

    @Override
    public CompletionStage<Identity> authenticate(Credentials credentials) {
        if (credentials instanceof Credentials.Password password) {
            return passwords.check(password.user(), password.password());
        }
        try {
            return CompletableFuture.completedFuture(checkAtOnce(credentials));
        } catch (AuthenticationFailedException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /**
     * {@inheritDoc}
     *
     * @throws AuthenticationFailedException when the user's record has changed since
     */
    @Override
    @SuppressWarnings("ReferenceEquality") // each version of a record has an identity object of its own
    public String issueBearer(Identity identity) {
        StoredUser user = users.find(identity.user());
        if (user == null || user.identity() != identity) {
            throw new AuthenticationFailedException(
                    Reason.WRONG, "The user's password, role or groups have just changed; sign in again.");
        }
        return tokens.issue(user.name(), user.version());
    }

    /** Ends the hashing threads; passwords that still wait are answered BUSY. */
    @Override
    public void close() {
        passwords.close();
    }

    private Identity checkAtOnce(Credentials credentials) {
        if (credentials instanceof Credentials.Bearer bearer) {
            return checkBearer(bearer.token());
        }
        if (credentials instanceof Credentials.ClientCertificate certificate) {
            return checkCommonName(certificate.commonName());
        }
        throw new IllegalArgumentException("unknown kind of credentials");
    }

    private Identity checkBearer(String token) {
        Fingerprint key = fingerprints.of(token);
        BearerTokens.Claims claims = verified.getIfPresent(key);
        if (claims == null) {
            claims = tokens.verify(token);
            verified.put(key, claims);
        } else {
            tokens.requireInTime(claims);
        }
        StoredUser user = users.find(claims.user());
        if (user == null || !user.version().equals(claims.version())) {
            throw new AuthenticationFailedException(
                    Reason.EXPIRED, "The bearer token ended with a change of its user; sign in again with a password.");
        }
        return user.identity();
    }

    private Identity checkCommonName(String commonName) {
        StoredUser user = users.find(commonName);
        if (user == null) {
            throw new AuthenticationFailedException(
                    Reason.WRONG, "The client certificate's common name is not a user of this gateway.");
        }
        return user.identity();
    }
}
