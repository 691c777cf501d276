package dev.weir.auth.user;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Keys for caches of secrets: an HMAC-SHA256 under a random key of this process, so that no secret stays in memory and
 * none can be guessed from a heap dump without the key. Thread-safe.
 */
final class Fingerprints {

    private static final String ALGORITHM = "HmacSHA256";

    private final SecretKeySpec key;

    Fingerprints() {
        byte[] random = new byte[32];
        new SecureRandom().nextBytes(random);
        this.key = new SecretKeySpec(random, ALGORITHM);
    }

    /** Equal for equal lists of texts only. */
    Fingerprint of(String... texts) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            for (String text : texts) {
                byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
                mac.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, bytes.length));
                mac.update(bytes);
            }
            ByteBuffer result = ByteBuffer.wrap(mac.doFinal());
            return new Fingerprint(result.getLong(), result.getLong(), result.getLong(), result.getLong());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has HmacSHA256", e);
        }
    }

    /** 256 bits. */
    record Fingerprint(long a, long b, long c, long d) {

        /** The bits are random already. */
        @Override
        public int hashCode() {
            return (int) a;
        }
    }
}
