package dev.weir.engine.remote;

import dev.weir.engine.EncodedBatch;
import dev.weir.engine.wire.BodyCopy;
import dev.weir.engine.wire.Frame;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.ipc.message.MessageSerializer;

/** A batch in the transport's buffers, as it came. */
final class WireBatch implements EncodedBatch {

    private final long rows;
    private final byte[] metadata;
    private final long bodyLength;
    private final BodyStream body;
    private final AtomicLong heldBytes;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** @param heldBytes counts the bytes of batches that are not closed */
    WireBatch(long rows, Frame frame, AtomicLong heldBytes) {
        byte[] header = frame.header();
        if (header == null) {
            throw new IllegalArgumentException("A batch without its message");
        }
        this.rows = rows;
        this.metadata = header;
        this.bodyLength = frame.bodyLength();
        this.body = new BodyStream(frame.takeBody(), bodyLength);
        this.heldBytes = heldBytes;
        heldBytes.addAndGet(bodyLength);
    }

    @Override
    public long rows() {
        return rows;
    }

    @Override
    public ByteBuffer metadata() {
        return ByteBuffer.wrap(metadata).asReadOnlyBuffer();
    }

    @Override
    public long bodyLength() {
        return bodyLength;
    }

    @Override
    public InputStream body() {
        return body;
    }

    /** Copies the batch into one buffer of the allocator. The caller closes what it gets. */
    ArrowRecordBatch decode(BufferAllocator allocator) throws IOException {
        try (ArrowBuf buffer = allocator.buffer(bodyLength)) {
            BodyCopy.copy(body, bodyLength, buffer);
            buffer.writerIndex(bodyLength);
            // Reading it takes this reference over.
            buffer.getReferenceManager().retain();
            return MessageSerializer.deserializeRecordBatch(
                    Message.getRootAsMessage(ByteBuffer.wrap(metadata)), buffer);
        }
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            heldBytes.addAndGet(-bodyLength);
            body.release();
        }
    }
}
