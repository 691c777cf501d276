package dev.weir.gateway.flightsql;

import dev.weir.engine.EncodedBatch;
import io.grpc.Drainable;
import io.grpc.KnownLength;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.arrow.vector.ipc.WriteChannel;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.ipc.message.IpcOption;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.jspecify.annotations.Nullable;

/** A record batch that was made here, as its message; owns the batch. */
final class MessageBatch implements EncodedBatch {

    private final ArrowRecordBatch batch;
    private final ByteBuffer metadata;
    private final long bodyLength;
    private final AtomicBoolean closed = new AtomicBoolean();

    private MessageBatch(ArrowRecordBatch batch) {
        this.batch = batch;
        this.metadata = MessageSerializer.serializeMetadata(batch, IpcOption.DEFAULT)
                .slice()
                .asReadOnlyBuffer();
        this.bodyLength = batch.computeBodyLength();
    }

    /** @param batch taken over, also when this fails */
    static MessageBatch of(ArrowRecordBatch batch) {
        try {
            return new MessageBatch(batch);
        } catch (RuntimeException | Error e) {
            batch.close();
            throw e;
        }
    }

    @Override
    public long rows() {
        return batch.getLength();
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
        return new Body(batch, bodyLength);
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            batch.close();
        }
    }

    /** The buffers with the padding between them; gRPC drains it. */
    private static final class Body extends InputStream implements Drainable, KnownLength {
        private final ArrowRecordBatch batch;
        private final long length;
        private @Nullable InputStream copy;

        Body(ArrowRecordBatch batch, long length) {
            this.batch = batch;
            this.length = length;
        }

        @Override
        public int available() throws IOException {
            return copy == null ? Math.toIntExact(length) : copy.available();
        }

        @Override
        public int drainTo(OutputStream target) throws IOException {
            WriteChannel channel = new WriteChannel(Channels.newChannel(target));
            return Math.toIntExact(MessageSerializer.writeBatchBuffers(channel, batch));
        }

        @Override
        public int read() throws IOException {
            return copy().read();
        }

        @Override
        public int read(byte[] target, int offset, int count) throws IOException {
            return copy().read(target, offset, count);
        }

        private InputStream copy() throws IOException {
            if (copy == null) {
                ByteArrayOutputStream bytes = new ByteArrayOutputStream(Math.toIntExact(length));
                drainTo(bytes);
                copy = new ByteArrayInputStream(bytes.toByteArray());
            }
            return copy;
        }
    }
}
