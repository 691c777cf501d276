package dev.weir.gateway.flightsql;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.WireFormat;
import dev.weir.engine.EncodedBatch;
import io.grpc.Drainable;
import io.grpc.KnownLength;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.arrow.flight.impl.Flight.FlightData;

/**
 * A batch that goes to the client in the bytes in which it came: the fields of a FlightData message around them.
 *
 * <p>Owns the batch and closes it once. Who sends it closes it afterwards, which has no effect when gRPC has made a stream
 * of it: gRPC closes each of its streams, drained or not. It drops a message before that when the call was closed, and
 * after it when the client is gone.
 */
final class RelayedBatch implements AutoCloseable {

    private static final int HEADER = FlightData.DATA_HEADER_FIELD_NUMBER;
    private static final int NOTE = FlightData.APP_METADATA_FIELD_NUMBER;
    private static final int BODY = FlightData.DATA_BODY_FIELD_NUMBER;

    private final EncodedBatch batch;
    private final ByteString note;
    private final AtomicBoolean taken = new AtomicBoolean();

    /** @param note the message's application metadata; empty for none */
    RelayedBatch(EncodedBatch batch, ByteString note) {
        this.batch = batch;
        this.note = note;
    }

    /** Size of the whole message in bytes. */
    static long messageBytes(EncodedBatch batch, ByteString note) {
        return headBytes(batch.metadata().remaining(), note, batch.bodyLength()) + batch.bodyLength();
    }

    private static int headBytes(int metadata, ByteString note, long body) {
        return (note.isEmpty() ? 0 : CodedOutputStream.computeBytesSize(NOTE, note))
                + CodedOutputStream.computeTagSize(HEADER)
                + CodedOutputStream.computeUInt32SizeNoTag(metadata)
                + metadata
                + CodedOutputStream.computeTagSize(BODY)
                + CodedOutputStream.computeUInt64SizeNoTag(body);
    }

    /** The message; its owner closes it. Called once. */
    InputStream stream() {
        if (!taken.compareAndSet(false, true)) {
            throw new IllegalStateException("sent already");
        }
        try {
            return new Message(head(), batch);
        } catch (IOException e) {
            batch.close();
            throw new UncheckedIOException(e);
        } catch (RuntimeException e) {
            batch.close();
            throw e;
        }
    }

    /** What stands before the body: the Arrow message, and the body's tag and length. */
    private byte[] head() throws IOException {
        ByteBuffer metadata = batch.metadata();
        byte[] head = new byte[headBytes(metadata.remaining(), note, batch.bodyLength())];
        CodedOutputStream out = CodedOutputStream.newInstance(head);
        out.writeTag(HEADER, WireFormat.WIRETYPE_LENGTH_DELIMITED);
        out.writeUInt32NoTag(metadata.remaining());
        out.write(metadata.duplicate());
        if (!note.isEmpty()) {
            out.writeBytes(NOTE, note);
        }
        out.writeTag(BODY, WireFormat.WIRETYPE_LENGTH_DELIMITED);
        out.writeUInt64NoTag(batch.bodyLength());
        out.checkNoSpaceLeft();
        return head;
    }

    @Override
    public void close() {
        if (taken.compareAndSet(false, true)) {
            batch.close();
        }
    }

    /** The message's bytes, read once: by gRPC's framer, which drains it at once into the transport's buffers. */
    private static final class Message extends InputStream implements Drainable, KnownLength {
        private final byte[] head;
        private final EncodedBatch batch;
        private final InputStream body;
        private final InputStream bytes;
        private long left;

        Message(byte[] head, EncodedBatch batch) {
            this.head = head;
            this.batch = batch;
            this.body = batch.body();
            this.bytes = new SequenceInputStream(new ByteArrayInputStream(head), body);
            this.left = head.length + batch.bodyLength();
        }

        @Override
        public int available() {
            return Math.toIntExact(left);
        }

        @Override
        public int drainTo(OutputStream target) throws IOException {
            if (left != head.length + batch.bodyLength()) {
                throw new IllegalStateException("read already");
            }
            left = 0;
            target.write(head);
            long written = body instanceof Drainable whole ? whole.drainTo(target) : body.transferTo(target);
            if (written != batch.bodyLength()) {
                throw new IOException("a batch of " + written + " bytes instead of " + batch.bodyLength());
            }
            return Math.toIntExact(head.length + written);
        }

        @Override
        public int read() throws IOException {
            int value = bytes.read();
            left -= value < 0 ? 0 : 1;
            return value;
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            int count = bytes.read(target, offset, length);
            left -= Math.max(count, 0);
            return count;
        }

        @Override
        public void close() {
            batch.close();
        }
    }
}
