package dev.weir.gateway.http;

import dev.weir.gateway.query.ErrorDetails;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import dev.weir.gateway.query.IngestInlet;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.memory.ArrowBuf;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.buffer.DataBuffer;

/** Cuts an Arrow IPC stream, which comes in pieces of any length, into its messages. One thread at a time. */
final class StreamFrames {

    private static final int CONTINUATION = 0xFFFFFFFF;
    private static final int MAX_METADATA = 16 << 20;

    private enum Step {
        /** The continuation marker, or the length itself as streams before Arrow 0.15 had it. */
        MARKER,
        LENGTH,
        METADATA,
        BODY,
        ENDED
    }

    private final IngestInlet inlet;
    private Step step = Step.MARKER;
    private ByteBuffer head = word();
    private @Nullable ArrowBuf body;
    private long bodyLength;
    private long bodyAt;

    StreamFrames(IngestInlet inlet) {
        this.inlet = inlet;
    }

    private static ByteBuffer word() {
        return ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Whether the stream's end marker came. */
    boolean hasEnded() {
        return step == Step.ENDED;
    }

    /**
     * Takes from the buffer until it is empty or the inlet is full.
     *
     * @throws GatewayException when it is no Arrow stream
     */
    void take(DataBuffer buffer) {
        while (buffer.readableByteCount() > 0) {
            switch (step) {
                case MARKER, LENGTH, METADATA -> head(buffer);
                case BODY -> body(buffer);
                case ENDED -> throw invalid("The body goes on behind the end of its Arrow stream.");
            }
            if (step == Step.MARKER && head.position() == 0 && !inlet.hasRoom()) {
                return;
            }
        }
    }

    private void head(DataBuffer buffer) {
        int count = Math.min(head.remaining(), buffer.readableByteCount());
        buffer.read(head.array(), head.position(), count);
        head.position(head.position() + count);
        if (head.hasRemaining()) {
            return;
        }
        head.flip();
        switch (step) {
            case MARKER -> {
                int marker = head.getInt(0);
                if (marker == CONTINUATION) {
                    step = Step.LENGTH;
                    head = word();
                } else {
                    metadata(marker);
                }
            }
            case LENGTH -> metadata(head.getInt(0));
            default -> message(head.slice());
        }
    }

    private void metadata(int length) {
        if (length == 0) {
            step = Step.ENDED;
            return;
        }
        if (length < 0 || length > MAX_METADATA) {
            throw invalid("The body is no Arrow IPC stream.");
        }
        step = Step.METADATA;
        head = ByteBuffer.allocate(length);
    }

    private void message(ByteBuffer metadata) {
        long length;
        try {
            length = Message.getRootAsMessage(metadata.slice()).bodyLength();
        } catch (RuntimeException e) {
            throw invalid("A message of the Arrow stream is damaged.");
        }
        if (length < 0) {
            throw invalid("A message of the Arrow stream is damaged.");
        }
        if (length > IngestInlet.MAX_MESSAGE_BYTES) {
            long limit = IngestInlet.MAX_MESSAGE_BYTES >> 20;
            throw new GatewayException(
                    GatewayErrorCode.TOO_LARGE,
                    "A batch of the Arrow stream is larger than " + limit
                            + " MB; write smaller ones (max_chunksize in pyarrow).",
                    ErrorDetails.ofLimit("query", "batch", limit + "MB"));
        }
        bodyLength = length;
        bodyAt = 0;
        body = inlet.allocator().buffer(length);
        step = Step.BODY;
        if (length == 0) {
            whole();
        }
    }

    private void body(DataBuffer buffer) {
        ArrowBuf into = body;
        if (into == null) {
            throw new IllegalStateException("no body");
        }
        int count = (int) Math.min(bodyLength - bodyAt, buffer.readableByteCount());
        ByteBuffer space = into.nioBuffer(bodyAt, count);
        int from = buffer.readPosition();
        buffer.toByteBuffer(from, space, 0, count);
        buffer.readPosition(from + count);
        bodyAt += count;
        if (bodyAt == bodyLength) {
            whole();
        }
    }

    private void whole() {
        ArrowBuf done = body;
        body = null;
        step = Step.MARKER;
        ByteBuffer metadata = head;
        head = word();
        if (done != null) {
            done.writerIndex(bodyLength);
            inlet.add(metadata, done.slice(0, bodyLength));
        }
    }

    /** Gives back what was begun. */
    void close() {
        ArrowBuf begun = body;
        body = null;
        if (begun != null) {
            begun.close();
        }
    }

    private static GatewayException invalid(String message) {
        return new GatewayException(GatewayErrorCode.INVALID_REQUEST, message);
    }
}
