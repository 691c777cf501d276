package dev.weir.auth.user;

import dev.weir.auth.Identity;
import dev.weir.auth.Role;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

/**
 * One user of the file. Immutable.
 *
 * <p>The version is a short digest of everything that decides what the user may do; a password check or a bearer made
 * under another version no longer counts.
 */
final class StoredUser {

    private static final int VERSION_BYTES = 12;

    private final Identity identity;
    private final String hash;
    private final String version;

    StoredUser(String name, String hash, Role role, List<String> groups) {
        this.identity = new Identity(name, groups, role);
        this.hash = hash;
        this.version = version(identity, hash);
    }

    String name() {
        return identity.user();
    }

    String hash() {
        return hash;
    }

    Identity identity() {
        return identity;
    }

    String version() {
        return version;
    }

    UserEntry entry() {
        return new UserEntry(identity.user(), identity.role(), identity.groups());
    }

    private static String version(Identity identity, String hash) {
        MessageDigest digest = sha256();
        update(digest, identity.user());
        update(digest, hash);
        update(digest, identity.role().name());
        identity.groups().forEach(group -> update(digest, group));
        return Base64.getUrlEncoder().withoutPadding().encodeToString(Arrays.copyOf(digest.digest(), VERSION_BYTES));
    }

    /** Length first, so that no two lists of texts look alike. */
    private static void update(MessageDigest digest, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, bytes.length));
        digest.update(bytes);
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
