package dev.weir.engine.remote;

import io.grpc.Drainable;
import io.grpc.HasByteBuffer;
import io.grpc.KnownLength;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A body in the transport's buffers. It can be read as bytes, or piece by piece without a copy, and again from a
 * mark. Closing it gives nothing back: its batch does.
 */
final class BodyStream extends InputStream implements Drainable, KnownLength, HasByteBuffer {

    private static final int CHUNK = 32 << 10;

    private final InputStream in;
    private long left;
    private long leftAtMark;

    BodyStream(InputStream in, long length) {
        this.in = in;
        this.left = length;
    }

    @Override
    public int read() throws IOException {
        int read = in.read();
        if (read != -1) {
            left--;
        }
        return read;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        int read = in.read(target, offset, length);
        if (read > 0) {
            left -= read;
        }
        return read;
    }

    @Override
    public long skip(long count) throws IOException {
        long skipped = in.skip(count);
        left -= skipped;
        return skipped;
    }

    @Override
    public boolean markSupported() {
        return in.markSupported();
    }

    @Override
    public synchronized void mark(int limit) {
        in.mark(limit);
        leftAtMark = left;
    }

    @Override
    public synchronized void reset() throws IOException {
        in.reset();
        left = leftAtMark;
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
        while (left > 0 && (read = read(chunk, 0, chunk.length)) > 0) {
            target.write(chunk, 0, read);
            drained += read;
        }
        return drained;
    }

    @Override
    public boolean byteBufferSupported() {
        return in instanceof HasByteBuffer buffers && buffers.byteBufferSupported();
    }

    @Override
    public @Nullable ByteBuffer getByteBuffer() {
        return in instanceof HasByteBuffer buffers ? buffers.getByteBuffer() : null;
    }

    void release() {
        try {
            in.close();
        } catch (IOException e) {
            throw new IllegalStateException("Buffers cannot be given back", e);
        }
    }
}
