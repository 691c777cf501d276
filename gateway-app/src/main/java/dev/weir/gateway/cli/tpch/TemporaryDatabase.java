package dev.weir.gateway.cli.tpch;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * A database file in the making, beside the file it will become: {@code .<name>.<pid>.partial}. Closed without
 * {@link #publish} it is deleted with everything DuckDB put beside it; so it is when the process is told to end.
 *
 * <p>The file must be closed in DuckDB before it is published: on POSIX systems a second open of it would lose the lock.
 */
final class TemporaryDatabase implements AutoCloseable {

    private static final String SUFFIX = ".partial";

    private final Path target;
    private final Path path;
    private final boolean replace;
    private final Thread deleteAtExit = new Thread(this::delete, "weir-tpch-cleanup");

    private TemporaryDatabase(Path target, Path path, boolean replace) {
        this.target = target;
        this.path = path;
        this.replace = replace;
    }

    /** Checks that the target can be made, and deletes what killed processes left beside it. */
    static TemporaryDatabase beside(Path target, boolean replace) throws TpchException, IOException {
        Path directory = target.getParent();
        Path name = target.getFileName();
        if (directory == null || name == null) {
            throw new TpchException("not a file name: " + target);
        }
        if (!Files.isDirectory(directory)) {
            throw new TpchException("the directory " + directory + " does not exist");
        }
        if (Files.isDirectory(target)) {
            throw new TpchException(target + " is a directory");
        }
        if (Files.exists(target) && !replace) {
            throw alreadyThere(target);
        }
        if (!Files.isWritable(directory)) {
            throw new TpchException("the directory " + directory + " is not writable");
        }
        deleteLeftovers(directory, name.toString());
        Path path = directory.resolve("." + name + "." + ProcessHandle.current().pid() + SUFFIX);
        TemporaryDatabase temporary = new TemporaryDatabase(target, path, replace);
        temporary.delete();
        Runtime.getRuntime().addShutdownHook(temporary.deleteAtExit);
        return temporary;
    }

    private static TpchException alreadyThere(Path target) {
        return new TpchException(target + " is there already; give another file, or --force to replace it");
    }

    Path path() {
        return path;
    }

    /** Fails early when the disk has less than this free. */
    void requireSpace(long bytes) throws TpchException, IOException {
        Path directory = target.toAbsolutePath().getParent();
        if (directory == null) {
            return;
        }
        long free = Files.getFileStore(directory).getUsableSpace();
        if (free < bytes) {
            throw new TpchException("the disk of " + directory + " has " + (free >> 20) + " MB free, about "
                    + (bytes >> 20) + " MB are needed");
        }
    }

    /** Gives the file its name, in one step. */
    void publish() throws IOException, TpchException {
        if (replace) {
            Files.move(path, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            return;
        }
        try {
            // Unlike a rename, a link never replaces a file that somebody made meanwhile.
            Files.createLink(target, path);
        } catch (FileAlreadyExistsException e) {
            throw alreadyThere(target);
        } catch (UnsupportedOperationException | IOException e) {
            // A file system without hard links.
            if (Files.exists(target)) {
                throw alreadyThere(target);
            }
            Files.move(path, target, StandardCopyOption.ATOMIC_MOVE);
        }
    }

    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(deleteAtExit);
        } catch (IllegalStateException e) {
            // The process is ending: the hook runs, or did.
            return;
        }
        delete();
    }

    private void delete() {
        for (String suffix : List.of("", ".wal", ".tmp")) {
            deleteTree(Path.of(path + suffix));
        }
    }

    private static void deleteTree(Path root) {
        if (!Files.exists(root)) {
            return;
        }
        try (Stream<Path> tree = Files.walk(root)) {
            for (Path entry : tree.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(entry);
            }
        } catch (IOException e) {
            // Nothing more can be done; the next run tries again.
        }
    }

    private static void deleteLeftovers(Path directory, String name) throws IOException {
        String prefix = "." + name + ".";
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory, entry -> {
            Path file = entry.getFileName();
            return file != null && file.toString().startsWith(prefix);
        })) {
            for (Path entry : entries) {
                String rest = String.valueOf(entry.getFileName()).substring(prefix.length());
                int end = rest.indexOf(SUFFIX);
                if (end > 0 && rest.substring(0, end).chars().allMatch(Character::isDigit)) {
                    long pid = Long.parseLong(rest.substring(0, end));
                    if (ProcessHandle.of(pid).isEmpty()) {
                        deleteTree(entry);
                    }
                }
            }
        }
    }
}
