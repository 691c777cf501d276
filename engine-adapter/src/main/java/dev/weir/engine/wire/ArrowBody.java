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
 * The body of a record batch message, read from where the batch lies: its buffers one after the other, each padded to 8
 * bytes. The batch must stay open while this is read; closing this does not close it.
 */
public final class ArrowBody extends InputStream implements Drainable, KnownLength {

    /** Stays in the processor's cache between the two halves of the copy. */
    private static final int CHUNK = 32 << 10;

    private static final int ALIGNMENT = 8;

    private final List<ArrowBuf> buffers;
    private long left;
    private int buffer;
    private long position;

    public ArrowBody(ArrowRecordBatch batch) {
        this.buffers = batch.getBuffers();
        this.left = length(batch);
    }

    /** Length of a batch's body in bytes. */
    public static long length(ArrowRecordBatch batch) {
        long length = 0;
        for (ArrowBuf buffer : batch.getBuffers()) {
            length += padded(buffer.readableBytes());
        }
        return length;
    }

    private static long padded(long length) {
        return (length + ALIGNMENT - 1) & -ALIGNMENT;
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
            count = (int) Math.min(length, padded(size) - position);
            Arrays.fill(target, offset, offset + count, (byte) 0);
        }
        position += count;
        left -= count;
        if (position == padded(size)) {
            buffer++;
            position = 0;
        }
        return count;
    }
}
