package dev.weir.gateway.config;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import org.jspecify.annotations.Nullable;

/**
 * The secret that gateways and workers share. Nobody makes it by himself: two that were made apart could never match.
 */
final class ClusterSecret {

    static final String PROPERTY = "weir.cluster.secret-file";

    private static final int LEAST = 16;
    private static final int MOST = 4096;
    private static final String MAKE =
            "make one with: bin/weir secret --out cluster.secret, and give every gateway and worker a copy";

    private ClusterSecret() {}

    /**
     * Reads it once.
     *
     * @return its bytes, without white space at the end
     * @throws StartFailedException when there is none, it is short, or everybody may read it
     */
    static byte[] read(@Nullable Path file) {
        if (file == null) {
            throw new StartFailedException(PROPERTY + " is needed: gateways and workers share a secret; " + MAKE);
        }
        String text;
        try (InputStream in = Files.newInputStream(file)) {
            byte[] content = in.readNBytes(MOST + 1);
            if (content.length > MOST) {
                throw new StartFailedException(PROPERTY + " names a file of more than " + MOST + " bytes");
            }
            text = new String(content, StandardCharsets.ISO_8859_1).stripTrailing();
            checkReaders(file);
        } catch (NoSuchFileException e) {
            throw new StartFailedException(PROPERTY + " names a file that does not exist; " + MAKE, e);
        } catch (IOException e) {
            throw new StartFailedException(PROPERTY + " names a file that cannot be read", e);
        }
        if (text.length() < LEAST) {
            throw new StartFailedException(
                    PROPERTY + " holds fewer than " + LEAST + " characters, which can be guessed; " + MAKE);
        }
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** The owner's group may read it: that is how containers are given secrets. */
    private static void checkReaders(Path file) throws IOException {
        boolean posix = FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
        if (posix && Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_READ)) {
            throw new StartFailedException(PROPERTY + " can be read by every account of the machine; chmod 600 it");
        }
    }
}
