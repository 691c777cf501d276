package dev.weir.engine.wire;

import io.grpc.HasByteBuffer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import org.apache.arrow.memory.ArrowBuf;

/** Copies the body of a received message, piece by piece where the transport lets its buffers be seen. */
public final class BodyCopy {

    private static final int CHUNK = 32 << 10;

    private BodyCopy() {}

    /**
     * Copies so many bytes to the start of a buffer; its indexes stay as they are.
     *
     * @throws IOException when there are fewer
     */
    public static void copy(InputStream from, long length, ArrowBuf target) throws IOException {
        long copied = from instanceof HasByteBuffer pieces && pieces.byteBufferSupported()
                ? copyPieces(from, pieces, length, target)
                : copyBytes(from, length, target);
        if (copied != length) {
            throw new IOException("A body of " + length + " bytes gave " + copied);
        }
    }

    private static long copyPieces(InputStream from, HasByteBuffer pieces, long length, ArrowBuf target)
            throws IOException {
        long copied = 0;
        ByteBuffer piece;
        while (copied < length && (piece = pieces.getByteBuffer()) != null) {
            int count = piece.remaining();
            target.setBytes(copied, piece);
            from.skipNBytes(count);
            copied += count;
        }
        return copied;
    }

    private static long copyBytes(InputStream from, long length, ArrowBuf target) throws IOException {
        byte[] chunk = new byte[(int) Math.min(CHUNK, length)];
        long copied = 0;
        int read;
        while (copied < length && (read = from.read(chunk, 0, (int) Math.min(chunk.length, length - copied))) > 0) {
            target.setBytes(copied, chunk, 0, read);
            copied += read;
        }
        return copied;
    }
}
