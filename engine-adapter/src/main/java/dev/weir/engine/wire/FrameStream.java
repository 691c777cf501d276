package dev.weir.engine.wire;

import io.grpc.Drainable;
import io.grpc.KnownLength;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** A message on its way out: some bytes, then the body as it lies. */
final class FrameStream extends InputStream implements Drainable, KnownLength {

    private final ByteArrayInputStream prefix;
    private final InputStream body;
    private long bodyLeft;

    FrameStream(byte[] prefix, InputStream body, long bodyLength) {
        this.prefix = new ByteArrayInputStream(prefix);
        this.body = body;
        this.bodyLeft = bodyLength;
    }

    @Override
    public int available() {
        return Math.toIntExact(prefix.available() + bodyLeft);
    }

    @Override
    public int drainTo(OutputStream target) throws IOException {
        long drained = prefix.transferTo(target);
        long ofBody = body instanceof Drainable drainable ? drainable.drainTo(target) : body.transferTo(target);
        if (ofBody != bodyLeft) {
            throw new IOException("A body of " + bodyLeft + " bytes gave " + ofBody);
        }
        bodyLeft = 0;
        return Math.toIntExact(drained + ofBody);
    }

    @Override
    public int read() throws IOException {
        int read = prefix.read();
        if (read != -1) {
            return read;
        }
        read = body.read();
        if (read != -1) {
            bodyLeft--;
        }
        return read;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        int read = prefix.read(target, offset, length);
        if (read != -1) {
            return read;
        }
        read = body.read(target, offset, length);
        if (read > 0) {
            bodyLeft -= read;
        }
        return read;
    }

    @Override
    public void close() throws IOException {
        body.close();
    }
}
