package dev.weir.gateway.http;

import dev.weir.gateway.query.ErrorDetails;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.unit.DataSize;

/**
 * The directory of spooled results: its files, each user's share, and the disk's reserve. Blocks on the disk: not for
 * event loops. Thread-safe.
 */
final class Spool {

    private static final Logger log = LoggerFactory.getLogger(Spool.class);

    private static final String SUFFIX = ".arrows";

    /** What a result counts at least, so that a great number of small ones is limited too. */
    static final long LEAST_BYTES = 64 << 10;

    private final HttpFrontSettings settings;
    private final FreeDisk freeDisk;
    private final Map<String, Long> usedByUser = new ConcurrentHashMap<>();

    /**
     * Makes the directory private and deletes what an earlier process left in it.
     *
     * @throws UncheckedIOException when that fails
     */
    Spool(HttpFrontSettings settings, FreeDisk freeDisk) {
        this.settings = settings;
        this.freeDisk = freeDisk;
        Path directory = settings.resultsDirectory();
        try {
            Files.createDirectories(directory);
            if (Files.getFileStore(directory).supportsFileAttributeView("posix")) {
                Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
            }
            try (DirectoryStream<Path> leftovers = Files.newDirectoryStream(directory, "*" + SUFFIX)) {
                for (Path leftover : leftovers) {
                    if (Files.isRegularFile(leftover, LinkOption.NOFOLLOW_LINKS)) {
                        Files.delete(leftover);
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Free space of the directory's disk. */
    static FreeDisk diskOf(Path directory) {
        return () -> Files.getFileStore(directory).getUsableSpace();
    }

    /** A new file of a user. */
    SpoolFile create(String user) throws IOException {
        charge(user, LEAST_BYTES);
        try {
            checkDisk(LEAST_BYTES);
            Path path = settings.resultsDirectory().resolve(UUID.randomUUID() + SUFFIX);
            // It may have been cleared away under a running gateway.
            Files.createDirectories(settings.resultsDirectory());
            FileChannel channel = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            return new SpoolFile(this, user, path, channel);
        } catch (IOException | RuntimeException e) {
            release(user, LEAST_BYTES);
            throw e;
        }
    }

    /** Takes a part of the user's share, or refuses it. */
    void charge(String user, long bytes) {
        long max = settings.maxResultBytesPerUser().toBytes();
        usedByUser.compute(user, (name, used) -> {
            long before = used == null ? 0 : used;
            if (before + bytes > max) {
                String limit = text(settings.maxResultBytesPerUser());
                throw new GatewayException(
                        GatewayErrorCode.TOO_LARGE,
                        "Your spooled results would take more than " + limit + " (results.max-bytes-per-user);"
                                + " delete some with DELETE /v1/queries/{id}, or read the result as it streams.",
                        ErrorDetails.ofLimit("user", "results.max-bytes-per-user", limit));
            }
            return before + bytes;
        });
    }

    void release(String user, long bytes) {
        usedByUser.computeIfPresent(user, (name, used) -> used <= bytes ? null : Long.valueOf(used - bytes));
    }

    /** Bytes charged to a user. */
    long used(String user) {
        return usedByUser.getOrDefault(user, 0L);
    }

    /** Refuses to write when the disk's reserve would be touched. */
    void checkDisk(long bytes) throws IOException {
        if (freeDisk.bytes() - bytes >= settings.minFreeDisk().toBytes()) {
            return;
        }
        String limit = text(settings.minFreeDisk());
        log.warn("Spooling stopped: less than {} (weir.results.min-free-disk) is free", limit);
        throw new GatewayException(
                GatewayErrorCode.TOO_LARGE,
                "The gateway's disk is too full to keep the result (results.min-free-disk is " + limit
                        + "); read it as it streams, or try again when there is more room.",
                ErrorDetails.ofLimit("global", "results.min-free-disk", limit));
    }

    private static String text(DataSize size) {
        long bytes = size.toBytes();
        if (bytes % (1L << 30) == 0) {
            return (bytes >> 30) + "GB";
        }
        return bytes % (1L << 20) == 0 ? (bytes >> 20) + "MB" : bytes + "B";
    }
}
