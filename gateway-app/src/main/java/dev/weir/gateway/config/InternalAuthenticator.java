package dev.weir.gateway.config;

import dev.weir.auth.AuthenticationFailedException;
import dev.weir.auth.AuthenticationFailedException.Reason;
import dev.weir.auth.Authenticator;
import dev.weir.auth.Credentials;
import dev.weir.auth.Identity;
import dev.weir.auth.Role;
import dev.weir.gateway.query.DefaultQueryService;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Lets the gateway call its own fronts while it warms up: one random token, known to nobody outside this process, stands
 * for a reader without a record in the users file. It is forgotten when the warm-up ends.
 */
final class InternalAuthenticator implements Authenticator {

    private static final Identity INTERNAL = new Identity(DefaultQueryService.INTERNAL_USER, List.of(), Role.READER);

    private final Authenticator users;
    private final Consumer<Reason> onFailure;
    private volatile byte @Nullable [] token;

    /** @param onFailure told why credentials were refused */
    InternalAuthenticator(Authenticator users, Consumer<Reason> onFailure) {
        this.users = users;
        this.onFailure = onFailure;
    }

    /** Makes the token valid and returns it. */
    String open() {
        byte[] random = new byte[32];
        new SecureRandom().nextBytes(random);
        String opened = HexFormat.of().formatHex(random);
        token = opened.getBytes(StandardCharsets.UTF_8);
        return opened;
    }

    /** Forgets the token. */
    void close() {
        token = null;
    }

    @Override
    public CompletionStage<Identity> authenticate(Credentials credentials) {
        byte[] known = token;
        if (known != null
                && credentials instanceof Credentials.Bearer bearer
                && MessageDigest.isEqual(known, bearer.token().getBytes(StandardCharsets.UTF_8))) {
            return CompletableFuture.completedFuture(INTERNAL);
        }
        CompletionStage<Identity> checked = users.authenticate(credentials);
        checked.whenComplete((identity, failure) -> {
            if (failure instanceof AuthenticationFailedException refused) {
                onFailure.accept(refused.reason());
            }
        });
        return checked;
    }

    @Override
    public String issueBearer(Identity identity) {
        return users.issueBearer(identity);
    }
}
