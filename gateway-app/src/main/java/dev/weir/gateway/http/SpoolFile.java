package dev.weir.gateway.http;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One spooled result on disk, an Arrow IPC stream. Written by one thread at a time; read by any when it is sealed. */
final class SpoolFile {

    private static final Logger log = LoggerFactory.getLogger(SpoolFile.class);

    private final Spool spool;
    private final String user;
    private final Path path;
    private final FileChannel channel;
    private long size;
    private long charged = Spool.LEAST_BYTES;

    SpoolFile(Spool spool, String user, Path path, FileChannel channel) {
        this.spool = spool;
        this.user = user;
        this.path = path;
        this.channel = channel;
    }

    /** Appends a chunk; refuses what the user's share or the disk has no room for. */
    void append(ByteBuf chunk) throws IOException {
        int bytes = chunk.readableBytes();
        long more = size + bytes - charged;
        if (more > 0) {
            spool.charge(user, more);
            charged += more;
        }
        spool.checkDisk(bytes);
        while (chunk.isReadable()) {
            chunk.readBytes(channel, chunk.readableBytes());
        }
        size += bytes;
    }

    /** Ends the writing. */
    void seal() throws IOException {
        channel.close();
    }

    /** Bytes in the file. */
    long size() {
        return size;
    }

    FileChannel open() throws IOException {
        return FileChannel.open(path);
    }

    /** Deletes the file and gives the user's share back. Call once; open readers go on. */
    void delete() {
        try {
            channel.close();
            Files.deleteIfExists(path);
        } catch (IOException e) {
            log.warn("A spooled result could not be deleted; the next start will", e);
        }
        spool.release(user, charged);
    }
}
