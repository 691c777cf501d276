package dev.weir.engine;

import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.arrow.memory.ArrowBuf;

/**
 * One Arrow IPC message of an upload, a record batch or a dictionary, as the client sent it: nothing in it has been
 * checked. Owned by whoever has it, and closed once.
 */
public final class IngestMessage implements AutoCloseable {

    private final int part;
    private final ByteBuffer metadata;
    private final ArrowBuf body;
    private final AtomicBoolean closed = new AtomicBoolean();

    /**
     * @param part which of an ingest's parts it belongs to, from 0; each has dictionaries of its own
     * @param metadata the message's flatbuffer, without prefix
     * @param body taken over: one reference of it is this message's
     */
    public IngestMessage(int part, ByteBuffer metadata, ArrowBuf body) {
        this.part = part;
        this.metadata = Objects.requireNonNull(metadata);
        this.body = Objects.requireNonNull(body);
    }

    public int part() {
        return part;
    }

    /** The flatbuffer; a view of its own for each call. */
    public ByteBuffer metadata() {
        return metadata.slice();
    }

    /** Valid until this is closed; retain it to keep it longer. */
    public ArrowBuf body() {
        return body;
    }

    /** Bytes that it holds. */
    public long bytes() {
        return metadata.remaining() + body.capacity();
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            body.close();
        }
    }
}
