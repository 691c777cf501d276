package dev.weir.engine.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/**
 * Which file lies under a database's name now. Only the name is looked at: a process that opens the file and closes it
 * again drops its locks on it.
 *
 * @param key device and inode; empty where the file system has none, or there is no file
 * @param modifiedMillis since the epoch
 * @param bytes its size
 */
record FileVersion(String key, long modifiedMillis, long bytes) {

    /** There is no file. */
    static final FileVersion NONE = new FileVersion("", 0, -1);

    /** Whether what lies there now is another file; nothing at all is none. */
    boolean replaces(FileVersion before) {
        return !equals(NONE) && !equals(before);
    }

    static FileVersion of(@Nullable Path file) {
        if (file == null) {
            return NONE;
        }
        try {
            BasicFileAttributes found = Files.readAttributes(file, BasicFileAttributes.class);
            Object key = found.fileKey();
            return new FileVersion(
                    key == null ? "" : key.toString(), found.lastModifiedTime().toMillis(), found.size());
        } catch (IOException e) {
            return NONE;
        }
    }
}
