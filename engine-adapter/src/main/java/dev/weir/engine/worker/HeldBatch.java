package dev.weir.engine.worker;

import dev.weir.engine.EncodedBatch;
import dev.weir.engine.wire.ArrowBody;
import dev.weir.engine.wire.Frame;
import dev.weir.engine.wire.Reply;
import dev.weir.engine.wire.Schemas;
import io.grpc.Drainable;
import io.grpc.KnownLength;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;

/** A batch that can be sent more than once, until it is closed. */
interface HeldBatch {

    /** A message of it, to be sent before the next one is made. */
    Frame frame();

    /** Length of its body in bytes. */
    long length();

    void close();

    /** Retains what is in a root now. */
    static HeldBatch retain(long seq, VectorSchemaRoot root) {
        ArrowRecordBatch batch = new VectorUnloader(root).getRecordBatch();
        try {
            return new Retained(seq, batch, Schemas.write(batch), ArrowBody.length(batch));
        } catch (RuntimeException e) {
            batch.close();
            throw e;
        }
    }

    /** Takes over a batch in the bytes of another worker. */
    static HeldBatch take(long seq, EncodedBatch batch) throws IOException {
        ByteBuffer metadata = batch.metadata();
        byte[] header = new byte[metadata.remaining()];
        metadata.get(header);
        InputStream body = batch.body();
        if (!body.markSupported()) {
            body = new ByteArrayInputStream(body.readAllBytes());
        }
        body.mark(Integer.MAX_VALUE);
        return new Relayed(seq, batch, header, body);
    }

    /** Buffers of an engine in this process. */
    record Retained(long seq, ArrowRecordBatch batch, byte[] header, long length) implements HeldBatch {

        @Override
        public Frame frame() {
            return Frame.of(new Reply.Batch(seq, batch.getLength()), header, length, new ArrowBody(batch));
        }

        @Override
        public void close() {
            batch.close();
        }
    }

    /** Bytes of an engine elsewhere, read again from their beginning for each message. */
    record Relayed(long seq, EncodedBatch batch, byte[] header, InputStream body) implements HeldBatch {

        @Override
        public Frame frame() {
            try {
                body.reset();
                body.mark(Integer.MAX_VALUE);
            } catch (IOException e) {
                throw new IllegalStateException("A batch cannot be read again", e);
            }
            return Frame.of(new Reply.Batch(seq, batch.rows()), header, length(), new Kept(body));
        }

        @Override
        public long length() {
            return batch.bodyLength();
        }

        @Override
        public void close() {
            batch.close();
        }
    }

    /** Leaves its stream open. */
    final class Kept extends FilterInputStream implements Drainable, KnownLength {

        Kept(InputStream in) {
            super(in);
        }

        @Override
        public int drainTo(OutputStream target) throws IOException {
            return in instanceof Drainable drainable
                    ? drainable.drainTo(target)
                    : Math.toIntExact(in.transferTo(target));
        }

        @Override
        public void close() {}
    }
}
