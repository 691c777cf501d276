package dev.weir.gateway.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Where encoders write: cuts the body into chunks of one size in direct memory. Whoever polls a chunk owns it.
 *
 * <p>One thread at a time.
 */
final class ChunkOutput extends OutputStream {

    /** A first chunk starts small: most answers are. */
    private static final int INITIAL_BYTES = 2048;

    /** Bytes of a stream that are moved at once: they go through an array, which shall stay in the cache. */
    private static final int COPY_BYTES = 64 << 10;

    private final ByteBufAllocator allocator;
    private final int chunkBytes;
    private final ArrayDeque<ByteBuf> full = new ArrayDeque<>();
    private @Nullable ByteBuf current;
    private boolean first = true;

    ChunkOutput(ByteBufAllocator allocator, int chunkBytes) {
        this.allocator = allocator;
        this.chunkBytes = chunkBytes;
    }

    @Override
    public void write(int value) {
        current(1).writeByte(value);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
        int from = offset;
        int left = length;
        while (left > 0) {
            ByteBuf chunk = current(left);
            int part = Math.min(left, chunkBytes - chunk.readableBytes());
            chunk.writeBytes(bytes, from, part);
            from += part;
            left -= part;
            rollOver(chunk);
        }
    }

    /** Copies what remains in {@code bytes}, up to the end of the current chunk. */
    void writeSome(ByteBuffer bytes) {
        ByteBuf chunk = current(bytes.remaining());
        int part = Math.min(bytes.remaining(), chunkBytes - chunk.readableBytes());
        ByteBuffer slice = bytes.slice();
        slice.limit(part);
        chunk.writeBytes(slice);
        bytes.position(bytes.position() + part);
        rollOver(chunk);
    }

    /**
     * Moves bytes of {@code source}, up to the end of the current chunk.
     *
     * @param wanted most bytes to move, more than zero
     * @return bytes moved, at least one
     * @throws EOFException when the source has ended
     */
    int writeSome(InputStream source, long wanted) throws IOException {
        ByteBuf chunk = current((int) Math.min(wanted, chunkBytes));
        int room = Math.min(COPY_BYTES, chunkBytes - chunk.readableBytes());
        int moved = chunk.writeBytes(source, (int) Math.min(wanted, room));
        if (moved < 0) {
            throw new EOFException("the source ends before its time");
        }
        rollOver(chunk);
        return moved;
    }

    boolean hasFull() {
        return !full.isEmpty();
    }

    /** Bytes of the chunk that is not full yet. */
    int partial() {
        return current == null ? 0 : current.readableBytes();
    }

    /** The next full chunk. */
    @Nullable
    ByteBuf pollFull() {
        return full.poll();
    }

    /** The chunk that is not full yet, when it holds anything. */
    @Nullable
    ByteBuf pollPartial() {
        ByteBuf chunk = current;
        if (chunk == null || !chunk.isReadable()) {
            return null;
        }
        current = null;
        return chunk;
    }

    /** Frees everything that was not polled. */
    void release() {
        for (ByteBuf chunk = full.poll(); chunk != null; chunk = full.poll()) {
            chunk.release();
        }
        if (current != null) {
            current.release();
            current = null;
        }
    }

    private ByteBuf current(int wanted) {
        ByteBuf chunk = current;
        if (chunk != null) {
            chunk = rollOver(chunk);
        }
        if (chunk == null) {
            int size = first ? Math.min(chunkBytes, Math.max(INITIAL_BYTES, wanted)) : chunkBytes;
            first = false;
            chunk = allocator.directBuffer(size, chunkBytes);
            current = chunk;
        }
        return chunk;
    }

    private @Nullable ByteBuf rollOver(ByteBuf chunk) {
        if (chunk.readableBytes() < chunkBytes) {
            return chunk;
        }
        full.add(chunk);
        current = null;
        return null;
    }
}
