package dev.weir.gateway.query;

import dev.weir.engine.EncodedBatch;
import io.grpc.Drainable;
import io.grpc.KnownLength;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.ipc.message.IpcOption;
import org.apache.arrow.vector.ipc.message.MessageSerializer;

/**
 * A batch encoded from vectors, as a worker sends it. Its body is memory of an allocator that is closed with the test: a
 * batch that is never closed is a leak there, and one that is read after its close fails.
 */
public final class TestBatch implements EncodedBatch {

    private static final int ALIGNMENT = 8;

    private final ByteBuffer metadata;
    private final ArrowBuf body;
    private final long bodyLength;
    private final int rows;
    private final boolean drainable;
    private final AtomicInteger closes = new AtomicInteger();
    private final AtomicInteger bodies = new AtomicInteger();

    private TestBatch(ByteBuffer metadata, ArrowBuf body, int rows, boolean drainable) {
        this.metadata = metadata.asReadOnlyBuffer();
        this.body = body;
        this.bodyLength = body.writerIndex();
        this.rows = rows;
        this.drainable = drainable;
    }

    /** Encodes what is in the root; the root stays the caller's. */
    public static TestBatch of(VectorSchemaRoot root, BufferAllocator allocator) {
        return of(root, allocator, false);
    }

    /** @param drainable whether the body offers more than a plain stream */
    public static TestBatch of(VectorSchemaRoot root, BufferAllocator allocator, boolean drainable) {
        try (ArrowRecordBatch batch = new VectorUnloader(root).getRecordBatch()) {
            ByteBuffer metadata = MessageSerializer.serializeMetadata(batch, IpcOption.DEFAULT);
            ArrowBuf body = allocator.buffer(batch.computeBodyLength());
            body.setZero(0, batch.computeBodyLength());
            long at = 0;
            for (ArrowBuf buffer : batch.getBuffers()) {
                body.setBytes(at, buffer, 0, buffer.readableBytes());
                at += (buffer.readableBytes() + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
            }
            body.writerIndex(batch.computeBodyLength());
            return new TestBatch(metadata.slice(), body, batch.getLength(), drainable);
        }
    }

    /** The body ends after so many bytes more, as if a part of it were lost. */
    public void cut(int bytes) {
        body.writerIndex(body.readerIndex() + bytes);
    }

    public int closes() {
        return closes.get();
    }

    @Override
    public long rows() {
        return rows;
    }

    @Override
    public ByteBuffer metadata() {
        return metadata.duplicate();
    }

    @Override
    public long bodyLength() {
        return bodyLength;
    }

    @Override
    public InputStream body() {
        if (bodies.getAndIncrement() > 0) {
            throw new IllegalStateException("the body is read once");
        }
        return drainable ? new DrainableBody() : new Body();
    }

    @Override
    public void close() {
        if (closes.getAndIncrement() == 0) {
            body.close();
        }
    }

    private class Body extends InputStream {
        @Override
        public int read() {
            return body.readableBytes() == 0 ? -1 : body.readByte() & 0xff;
        }

        @Override
        public int read(byte[] target, int offset, int length) {
            if (body.readableBytes() == 0) {
                return -1;
            }
            int count = (int) Math.min(length, body.readableBytes());
            body.getBytes(body.readerIndex(), target, offset, count);
            body.readerIndex(body.readerIndex() + count);
            return count;
        }

        @Override
        public int available() {
            return (int) body.readableBytes();
        }
    }

    private final class DrainableBody extends Body implements Drainable, KnownLength {
        @Override
        public int drainTo(OutputStream target) throws IOException {
            byte[] all = readAllBytes();
            target.write(all);
            return all.length;
        }
    }
}
