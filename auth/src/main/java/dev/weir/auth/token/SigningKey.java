package dev.weir.auth.token;

import dev.weir.auth.PrivateFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The secret that bearers and tickets are signed with: 32 random bytes in {@code keys/token.key} of the data
 * directory, made at the first start. Replicas that share the file accept each other's tokens; deleting it ends all of
 * them. Each purpose signs with a key of its own, derived from the secret. Immutable.
 */
public final class SigningKey {

    static final int BYTES = 32;

    private static final Logger LOG = LoggerFactory.getLogger(SigningKey.class);

    private final byte[] secret;

    SigningKey(byte[] secret) {
        this.secret = secret.clone();
    }

    /**
     * Reads the key, and makes it when it is missing. Processes that start at once end with the same key.
     *
     * @throws IOException when the file cannot be read or made, or is no key; the message is for the operator
     */
    public static SigningKey loadOrCreate(Path dataDir) throws IOException {
        Path file = dataDir.resolve("keys").resolve("token.key");
        PrivateFile.createParent(file);
        byte[] secret = PrivateFile.locked(file.resolveSibling("token.key.lock"), () -> {
            if (Files.notExists(file)) {
                PrivateFile.write(file, randomSecret());
            }
            return PrivateFile.read(file, BYTES);
        });
        if (secret.length != BYTES) {
            throw new IOException("must hold exactly " + BYTES + " bytes; delete it to have a new one made");
        }
        if (PrivateFile.readableByOthers(file)) {
            LOG.warn("signing key {} can be read by other accounts; chmod 600 it", file);
        }
        return new SigningKey(secret);
    }

    /**
     * Reads a key that somebody else looks after, such as one that replicas are given. Nothing is made or locked beside
     * it: it may lie in a directory that cannot be written, and its group may read it, as in containers.
     *
     * @throws IOException when the file cannot be read, or is no key; the message is for the operator
     */
    public static SigningKey load(Path file) throws IOException {
        byte[] secret = PrivateFile.read(file, BYTES);
        if (secret.length != BYTES) {
            throw new IOException(
                    "must hold exactly " + BYTES + " bytes; make one with: head -c " + BYTES + " /dev/urandom > FILE");
        }
        return new SigningKey(secret);
    }

    /** A key for one purpose, which says nothing of the secret or of other purposes' keys (HKDF's expand step). */
    byte[] derive(String purpose) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret, "HmacSHA256"));
            mac.update(purpose.getBytes(StandardCharsets.UTF_8));
            mac.update((byte) 1);
            return mac.doFinal();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has HmacSHA256", e);
        }
    }

    private static byte[] randomSecret() {
        byte[] secret = new byte[BYTES];
        new SecureRandom().nextBytes(secret);
        return secret;
    }
}
