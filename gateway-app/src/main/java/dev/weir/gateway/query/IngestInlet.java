package dev.weir.gateway.query;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;

/**
 * Where a front puts one upload of a bulk ingest, message by message. The front is the one that calls, from one thread at
 * a time; no method blocks.
 *
 * <p>The first message is the schema, and with it the query begins. Until the query has its permit, and while the engine
 * is behind, there is no room: the front then reads no further.
 */
public interface IngestInlet {

    /** Largest message that is taken, in bytes. */
    long MAX_MESSAGE_BYTES = 128L << 20;

    /** For the bodies of messages. It has a limit: allocate when there is room only. */
    BufferAllocator allocator();

    /** Whether another message may come now. */
    boolean hasRoom();

    /** Sets what to call, on any thread, whenever there is room again after there was none. Set once, at the start. */
    void onRoom(Runnable action);

    /** Tells that bytes of a message that is not whole yet came: the client has not stalled. */
    void arriving(long bytes);

    /**
     * Puts a message. One that comes without room is kept none the less.
     *
     * @param metadata the Arrow message's flatbuffer; not touched by the caller from here on
     * @param body taken over, also when this throws
     * @throws GatewayException when it cannot be part of this ingest, which has failed then
     */
    void add(ByteBuffer metadata, ArrowBuf body);

    /** The client sent everything. */
    void end();

    /** The upload cannot go on: nothing of the ingest stays. Without effect after the end. */
    void fail(GatewayException failure);

    /** The client has left: nothing of the ingest stays, whether or not everything was sent. */
    void abandon(CancelReason reason);

    /**
     * Completes when the rows are committed, with the number of rows of this upload; or with the {@link
     * GatewayException} for which there are none.
     */
    CompletionStage<Long> rows();

    /** The query, once it has begun. */
    Optional<QuerySnapshot> query();
}
