package dev.weir.engine;

import java.io.InputStream;
import java.nio.ByteBuffer;

/**
 * One batch as an Arrow IPC record batch message, in the bytes that came from where the query runs. It can be handed on
 * without being decoded: its buffers are not compressed, since not every client could read them.
 *
 * <p>Owned by whoever pulled it; closed once, from any thread. Not thread-safe otherwise.
 */
public interface EncodedBatch extends AutoCloseable {

    long rows();

    /** The message's flatbuffer, without prefix or padding; read-only, position 0. */
    ByteBuffer metadata();

    /** Length of the body in bytes. */
    long bodyLength();

    /**
     * The body, to be read once and to its end. It also is an {@code io.grpc.Drainable} or {@code io.grpc.KnownLength}
     * where the transport can use that.
     */
    InputStream body();

    /** Gives the bytes back, read or not. Idempotent. */
    @Override
    void close();
}
