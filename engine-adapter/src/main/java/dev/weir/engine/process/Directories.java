package dev.weir.engine.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The directories of children: {@code <base>/<process id of the gateway>/<number>}. */
final class Directories {

    private static final Logger log = LoggerFactory.getLogger(Directories.class);

    private Directories() {}

    /** Makes the directory of this process's children, and removes those of processes that are gone. */
    static Path ofThisProcess(Path base) throws IOException {
        Files.createDirectories(base);
        long own = ProcessHandle.current().pid();
        for (Path directory : list(base)) {
            String name = directory.getFileName().toString();
            boolean number =
                    !name.isEmpty() && name.length() < 19 && name.chars().allMatch(Character::isDigit);
            if (number
                    && Long.parseLong(name) != own
                    && ProcessHandle.of(Long.parseLong(name)).isEmpty()) {
                remove(directory);
            }
        }
        return Files.createDirectories(base.resolve(Long.toString(own)));
    }

    static List<Path> list(Path directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.toList();
        }
    }

    /** Removes a directory with all that is in it, as far as possible; what is not there is fine. */
    static void remove(Path directory) {
        if (!Files.isDirectory(directory)) {
            return;
        }
        try {
            Files.walkFileTree(directory, new Removal());
        } catch (IOException | UncheckedIOException e) {
            log.warn("The directory {} of a child process cannot be removed: {}", directory, e.toString());
        }
    }

    /** A child that is just being killed may still remove files itself. */
    private static final class Removal extends SimpleFileVisitor<Path> {

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException failure) {
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failure) throws IOException {
            Files.deleteIfExists(directory);
            return FileVisitResult.CONTINUE;
        }
    }
}
