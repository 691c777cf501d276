package dev.weir.auth;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Files that only their owner may read: written whole or not at all, and guarded between processes by a lock file.
 * For the packages of this module. Thread-safe.
 */
public final class PrivateFile {

    private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(10);
    private static final long LOCK_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final boolean POSIX =
            FileSystems.getDefault().supportedFileAttributeViews().contains("posix");

    /** The operating system's locks are held by a process; this one keeps its threads apart. */
    private static final ReentrantLock IN_PROCESS = new ReentrantLock();

    /** Work done under a lock. */
    @FunctionalInterface
    public interface Action<T> {
        T run() throws IOException;
    }

    private PrivateFile() {}

    /**
     * Reads a whole file.
     *
     * @param maxBytes largest size accepted
     * @throws IOException when the file cannot be read or is larger
     */
    public static byte[] read(Path file, int maxBytes) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] content = in.readNBytes(maxBytes + 1);
            if (content.length > maxBytes) {
                throw new IOException("larger than " + maxBytes + " bytes");
            }
            return content;
        }
    }

    /**
     * Replaces a file by one that only the owner may read and write (mode 0600). A reader sees the old content or the
     * new, never a part; the new content is on disk when this returns. A symbolic link is followed, not replaced.
     */
    public static void write(Path file, byte[] content) throws IOException {
        Path target = Files.isSymbolicLink(file) ? file.toRealPath() : file.toAbsolutePath();
        Path directory = parent(target);
        Path temporary = Files.createTempFile(directory, "." + target.getFileName() + ".", ".tmp", mode("rw-------"));
        try {
            try (FileChannel channel = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
                ByteBuffer buffer = ByteBuffer.wrap(content);
                while (buffer.hasRemaining()) {
                    channel.write(buffer);
                }
                channel.force(true);
            }
            adoptOwner(temporary, Files.exists(target) ? target : directory);
            Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(temporary);
        }
        forceDirectory(directory);
    }

    /** Creates a directory, and its parents, that only the owner may enter (mode 0700). Does nothing if it exists. */
    public static void createDirectory(Path directory) throws IOException {
        if (Files.isDirectory(directory)) {
            return;
        }
        Path absolute = directory.toAbsolutePath();
        Files.createDirectories(parent(absolute));
        Files.createDirectories(absolute, mode("rwx------"));
        adoptOwner(absolute, parent(absolute));
    }

    /** Creates the directory that a file lies in, as {@link #createDirectory} does. */
    public static void createParent(Path file) throws IOException {
        createDirectory(parent(file.toAbsolutePath()));
    }

    /**
     * Runs an action while no other thread and no other process does so under the same lock file.
     *
     * @param lockFile made when it is missing; never deleted
     * @throws IOException when the lock is not free within 10 seconds, or from the action
     */
    @CanIgnoreReturnValue
    public static <T> T locked(Path lockFile, Action<T> action) throws IOException {
        long deadline = System.nanoTime() + LOCK_TIMEOUT.toNanos();
        if (!lockInProcess()) {
            throw lockTimeout();
        }
        try (FileChannel channel = openLockFile(lockFile);
                FileLock lock = acquire(channel, deadline)) {
            return action.run();
        } finally {
            IN_PROCESS.unlock();
        }
    }

    /**
     * Whether others than the owner may read the file; false where the file system has no such permissions. The group
     * counts only for a file of ours: containers are given secrets, which they cannot write, by their group.
     */
    public static boolean readableByOthers(Path file) throws IOException {
        if (!POSIX) {
            return false;
        }
        Set<PosixFilePermission> open = EnumSet.of(PosixFilePermission.OTHERS_READ);
        if (Files.isWritable(file)) {
            open.add(PosixFilePermission.GROUP_READ);
        }
        open.retainAll(Files.getPosixFilePermissions(file));
        return !open.isEmpty();
    }

    /** Why a file could not be used, in words: the system's own exceptions say only its path. */
    public static String reason(Exception e) {
        if (e instanceof NoSuchFileException) {
            return "it does not exist";
        }
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (e instanceof FileSystemException problem && problem.getReason() != null) {
            return problem.getReason();
        }
        return String.valueOf(e.getMessage());
    }

    private static boolean lockInProcess() throws IOException {
        try {
            return IN_PROCESS.tryLock(LOCK_TIMEOUT.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for a file lock", e);
        }
    }

    private static FileChannel openLockFile(Path lockFile) throws IOException {
        boolean isNew = !Files.exists(lockFile);
        Set<OpenOption> options = Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileChannel channel = FileChannel.open(lockFile, options, mode("rw-------"));
        if (isNew) {
            adoptOwner(lockFile, parent(lockFile.toAbsolutePath()));
        }
        return channel;
    }

    private static FileLock acquire(FileChannel channel, long deadline) throws IOException {
        while (true) {
            FileLock lock = tryLock(channel);
            if (lock != null) {
                return lock;
            }
            if (System.nanoTime() - deadline > 0 || Thread.currentThread().isInterrupted()) {
                throw lockTimeout();
            }
            LockSupport.parkNanos(LOCK_RETRY_NANOS);
        }
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException heldByAnotherClassLoader) {
            return null;
        }
    }

    private static IOException lockTimeout() {
        return new IOException("another process has held the lock file for 10 seconds");
    }

    /**
     * An administrator's command must not take a file away from the account that the gateway runs under. Only a
     * privileged process can give files away, and only it needs to.
     */
    private static void adoptOwner(Path file, Path example) throws IOException {
        if (!POSIX || Files.getOwner(file).equals(Files.getOwner(example))) {
            return;
        }
        try {
            Files.setOwner(file, Files.getOwner(example));
        } catch (IOException notPrivileged) {
            // The file stays with the account that wrote it, as any file does.
        }
    }

    private static void forceDirectory(Path directory) {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        } catch (IOException notSupported) {
            // Some systems do not open directories; there the rename is as durable as they make it.
        }
    }

    private static FileAttribute<?>[] mode(String permissions) {
        return POSIX
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
                }
                : new FileAttribute<?>[0];
    }

    private static Path parent(Path absolute) throws IOException {
        Path parent = absolute.getParent();
        if (parent == null) {
            throw new IOException("not a file in a directory");
        }
        return parent;
    }
}
