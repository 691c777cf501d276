package dev.weir.auth;

import java.util.concurrent.CompletionStage;

/**
 * Turns credentials into an identity.
 *
 * <p>Thread-safe. The first check of a password takes tens of milliseconds of CPU (Argon2id) on threads of its own,
 * bounded in number and queue; later ones come from a cache. A changed or removed password stops working within
 * 5 seconds, for passwords and for bearers issued under it.
 */
public interface Authenticator {

    /**
     * @return a stage that gives the identity, or fails with an {@link AuthenticationFailedException}. Complete already
     *     when the answer was cached
     */
    CompletionStage<Identity> authenticate(Credentials credentials);

    /**
     * Issues a bearer for an identity that was just authenticated by password.
     *
     * @return a token valid for a bounded time, and until the user's password, role or groups change
     */
    String issueBearer(Identity identity);
}
