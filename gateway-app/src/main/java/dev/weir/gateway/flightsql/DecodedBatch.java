package dev.weir.gateway.flightsql;

import dev.weir.engine.EncodedBatch;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorLoader;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.ipc.message.MessageMetadataResult;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.apache.arrow.vector.types.pojo.Schema;

/** A root for encoded batches that must be looked into. One thread at a time. */
final class DecodedBatch implements AutoCloseable {

    private static final int COPY_BYTES = 64 << 10;

    private final BufferAllocator allocator;
    private final VectorSchemaRoot root;

    DecodedBatch(Schema schema, BufferAllocator allocator) {
        this.allocator = allocator;
        this.root = VectorSchemaRoot.create(schema, allocator);
    }

    VectorSchemaRoot root() {
        return root;
    }

    /** Copies a batch into the root. The batch stays the caller's. */
    void load(EncodedBatch batch) {
        byte[] metadata = new byte[batch.metadata().remaining()];
        batch.metadata().duplicate().get(metadata);
        try {
            // Deserializing takes the body over.
            ArrowBuf body = body(batch);
            try (ArrowRecordBatch vectors = MessageSerializer.deserializeRecordBatch(
                    MessageMetadataResult.create(java.nio.ByteBuffer.wrap(metadata), metadata.length), body)) {
                new VectorLoader(root).load(vectors);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private ArrowBuf body(EncodedBatch batch) throws IOException {
        ArrowBuf body = allocator.buffer(batch.bodyLength());
        try {
            InputStream bytes = batch.body();
            byte[] part = new byte[COPY_BYTES];
            for (long at = 0; at < batch.bodyLength(); ) {
                int count = bytes.read(part, 0, (int) Math.min(part.length, batch.bodyLength() - at));
                if (count < 0) {
                    throw new EOFException("a batch of " + at + " bytes instead of " + batch.bodyLength());
                }
                body.setBytes(at, part, 0, count);
                at += count;
            }
            return body;
        } catch (IOException | RuntimeException e) {
            body.close();
            throw e;
        }
    }

    /** Gives the batch's memory back. */
    void clear() {
        root.clear();
    }

    @Override
    public void close() {
        root.close();
    }
}
