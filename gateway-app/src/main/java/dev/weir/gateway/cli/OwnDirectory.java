package dev.weir.gateway.cli;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** Makes directories that only their owner may enter: keys and password hashes will lie in them. */
final class OwnDirectory {

    private OwnDirectory() {}

    /** Makes the directory and what is missing above it; one that exists is left as it is. */
    static void create(Path directory) throws IOException {
        if (Files.isDirectory(directory)) {
            return;
        }
        if (FileSystems.getDefault().supportedFileAttributeViews().contains("posix")) {
            Path parent = directory.toAbsolutePath().getParent();
            if (parent != null) {
                Files.createDirectories(parent);
            }
            Files.createDirectories(
                    directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        } else {
            Files.createDirectories(directory);
        }
    }
}
