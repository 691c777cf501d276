package dev.weir.auth.user;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What the file system says of a file, to see that it changed without reading it.
 *
 * @param modified time of the last change; EPOCH when the file is missing
 * @param size in bytes; -1 when the file is missing
 * @param key the file system's identity of the file, where it has one
 * @param takenAt when this was asked
 */
record FileStamp(Instant modified, long size, @Nullable Object key, Instant takenAt) {

    static final FileStamp NONE = new FileStamp(Instant.EPOCH, -2, null, Instant.EPOCH);

    /** File systems count time in steps of up to 2 s: a younger file may change again without its time showing it. */
    private static final Duration TIME_STEP = Duration.ofSeconds(3);

    /** Takes the time from the system, as the file system does. */
    static FileStamp of(Path file) {
        Instant now = Instant.now();
        try {
            BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
            return new FileStamp(
                    attributes.lastModifiedTime().toInstant(), attributes.size(), attributes.fileKey(), now);
        } catch (IOException unreadable) {
            return new FileStamp(Instant.EPOCH, -1, null, now);
        }
    }

    boolean provesUnchangedSince(FileStamp earlier) {
        return size == earlier.size
                && modified.equals(earlier.modified)
                && Objects.equals(key, earlier.key)
                && Duration.between(modified, earlier.takenAt).compareTo(TIME_STEP) > 0;
    }
}
