package dev.weir.auth.user;

import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.security.crypto.argon2.Argon2PasswordEncoder;

/**
 * Argon2id. New hashes take 19 MiB of memory and 2 passes on 1 lane, the first of the settings that OWASP recommends.
 * Hashes made elsewhere are accepted with other costs, up to bounds: whoever checks a password pays them.
 */
final class Argon2Hasher implements PasswordHasher {

    private static final int SALT_BYTES = 16;
    private static final int HASH_BYTES = 32;
    private static final int LANES = 1;
    private static final int MEMORY_KIB = 19 * 1024;
    private static final int PASSES = 2;

    private static final int MAX_MEMORY_KIB = 128 * 1024;
    private static final int MAX_PASSES = 16;
    private static final int MAX_LANES = 16;
    private static final int MIN_MEMORY_KIB_PER_LANE = 8;

    private static final Pattern FORM = Pattern.compile(
            "\\$argon2id\\$v=19\\$m=([0-9]{1,7}),t=([0-9]{1,3}),p=([0-9]{1,3})\\$([A-Za-z0-9+/]{1,128})\\$([A-Za-z0-9+/]{1,128})");

    private final Argon2PasswordEncoder encoder;

    Argon2Hasher() {
        this(MEMORY_KIB, PASSES);
    }

    Argon2Hasher(int memoryKib, int passes) {
        this.encoder = new Argon2PasswordEncoder(SALT_BYTES, HASH_BYTES, LANES, memoryKib, passes);
    }

    @Override
    public String hash(String password) {
        String hash = encoder.encode(password);
        if (hash == null) {
            throw new IllegalStateException("the encoder gave no hash");
        }
        return hash;
    }

    @Override
    public boolean matches(String password, String hash) {
        return encoder.matches(password, hash);
    }

    /** What is wrong with the text as a hash, without showing it, or null when it can be checked. */
    static @Nullable String problem(String hash) {
        Matcher form = FORM.matcher(hash);
        if (!form.matches()) {
            return "must be an Argon2id hash of the form $argon2id$v=19$m=...,t=...,p=...$salt$hash";
        }
        int memory = Integer.parseInt(form.group(1));
        int passes = Integer.parseInt(form.group(2));
        int lanes = Integer.parseInt(form.group(3));
        if (lanes < 1 || lanes > MAX_LANES || passes < 1 || passes > MAX_PASSES) {
            return "may take t=1 to " + MAX_PASSES + " passes and p=1 to " + MAX_LANES + " lanes";
        }
        if (memory > MAX_MEMORY_KIB || memory < MIN_MEMORY_KIB_PER_LANE * lanes) {
            return "may take from m=8 for each lane to m=" + MAX_MEMORY_KIB + " KiB of memory";
        }
        int salt = decodedLength(form.group(4));
        int output = decodedLength(form.group(5));
        if (salt < 8 || salt > 64 || output < 16 || output > 64) {
            return "must have a salt of 8 to 64 bytes and a hash of 16 to 64 bytes, in Base64";
        }
        return null;
    }

    private static int decodedLength(String base64) {
        try {
            return Base64.getDecoder().decode(base64).length;
        } catch (IllegalArgumentException notBase64) {
            return -1;
        }
    }
}
