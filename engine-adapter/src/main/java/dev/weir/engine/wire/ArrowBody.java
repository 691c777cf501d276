package dev.weir.engine.wire;

import io.grpc.Drainable;
import io.grpc.KnownLength;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;

/**
 * The body of a message, read from where it lies: the buffers of a record batch one after the other, each padded to 8
 * bytes, or one buffer as it is. They must stay open while this is read; closing this does not close them.
 */
public final class ArrowBody extends InputStream implements Drainable, KnownLength {

    /** Stays in the processor's cache between the two halves of the copy. */
    private static final int CHUNK = 32 << 10;

    private static final int ALIGNMENT = 8;
    private static final int NONE = 1;

    private final List<ArrowBuf> buffers;
    private final int alignment;
    private long left;
    private int buffer;
    private long position;

    public ArrowBody(ArrowRecordBatch batch) {
        this.buffers = batch.getBuffers();
        this.alignment = ALIGNMENT;
        this.left = length(batch);
    }

    /** All of a buffer, whatever was written to it last. */
    public ArrowBody(ArrowBuf body) {
        this.buffers = List.of(body.slice(0, body.capacity()));
        this.alignment = NONE;
        this.left = body.capacity();
    }

    /** Length of a batch's body in bytes. */
    public static long length(ArrowRecordBatch batch) {
        long length = 0;
        for (ArrowBuf buffer : batch.getBuffers()) {
            length += padded(buffer.readableBytes(), ALIGNMENT);
        }
        return length;
    }

    private static long padded(long length, int alignment) {
        return (length + alignment - 1) & -alignment;
    }

    @Override
    public int available() {
        return Math.toIntExact(left);
    }

    @Override
    public int drainTo(OutputStream target) throws IOException {
        byte[] chunk = new byte[(int) Math.min(CHUNK, left)];
        int drained = 0;
        int read;
        while ((read = fill(chunk, 0, chunk.length)) > 0) {
            target.write(chunk, 0, read);
            drained += read;
        }
        return drained;
    }

    @Override
    public int read() {
        byte[] one = new byte[1];
        return fill(one, 0, 1) == 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] target, int offset, int length) {
        int read = fill(target, offset, length);
        return read == 0 && length > 0 ? -1 : read;
    }

    /** Reads as much as there is, at most {@code length}. */
    private int fill(byte[] target, int offset, int length) {
        int filled = 0;
        while (filled < length && left > 0) {
            filled += piece(target, offset + filled, length - filled);
        }
        return filled;
    }

    /** Reads of the current buffer, or its padding; 0 where a buffer ends. */
    private int piece(byte[] target, int offset, int length) {
        ArrowBuf current = buffers.get(buffer);
        long size = current.readableBytes();
        int count;
        if (position < size) {
            count = (int) Math.min(length, size - position);
            current.getBytes(current.readerIndex() + position, target, offset, count);
        } else {
            count = (int) Math.min(length, padded(size, alignment) - position);
            Arrays.fill(target, offset, offset + count, (byte) 0);
        }
        position += count;
        left -= count;
        if (position == padded(size, alignment)) {
            buffer++;
            position = 0;
        }
        return count;
    }
}
