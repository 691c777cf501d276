package dev.weir.engine.worker;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.IngestFeed;
import dev.weir.engine.IngestMessage;
import dev.weir.engine.wire.BodyCopy;
import dev.weir.engine.wire.Frame;
import dev.weir.engine.wire.Reply;
import dev.weir.engine.wire.Wire;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.jspecify.annotations.Nullable;

/** An upload's messages between its gateway, which sends as many as were asked for, and the engine. Thread-safe. */
final class WireFeed implements IngestFeed {

    /** More than a gateway may send. */
    private static final long MAX_HELD_BYTES = Wire.UPLOAD_WINDOW_BYTES + Wire.MAX_PART_BYTES;

    private final BufferAllocator allocator;
    private final Consumer<Reply.Taken> told;

    @GuardedBy("this")
    private final Deque<IngestMessage> messages = new ArrayDeque<>();

    /** Of each part. */
    @GuardedBy("this")
    private final Map<Integer, Long> rowsRead = new HashMap<>();

    @GuardedBy("this")
    private long held;

    @GuardedBy("this")
    private boolean begun;

    @GuardedBy("this")
    private boolean whole;

    @GuardedBy("this")
    private boolean closed;

    @GuardedBy("this")
    private @Nullable EngineException failure;

    /** @param told of what the engine takes; must not block */
    WireFeed(BufferAllocator allocator, Consumer<Reply.Taken> told) {
        this.allocator = allocator;
        this.told = told;
    }

    /**
     * Takes a message over from its frame.
     *
     * @throws EngineException when it has none, or when more is held than may be
     */
    void add(int part, Frame frame) {
        byte[] header = frame.header();
        if (header == null) {
            throw Failures.malformed();
        }
        ArrowBuf body = body(frame);
        IngestMessage message = new IngestMessage(part, ByteBuffer.wrap(header), body);
        synchronized (this) {
            boolean wanted = !closed && failure == null;
            if (wanted && held + message.bytes() <= MAX_HELD_BYTES) {
                held += message.bytes();
                messages.add(message);
                notifyAll();
                return;
            }
            message.close();
            if (!wanted) {
                return;
            }
        }
        throw new EngineException(EngineFailure.INTERNAL, "The gateway sent more of an upload than it was asked for");
    }

    private ArrowBuf body(Frame frame) {
        long length = frame.bodyLength();
        ArrowBuf body = allocator.buffer(length);
        try (InputStream in = frame.takeBody()) {
            BodyCopy.copy(in, length, body);
            // Messages end where their body does; a buffer may be larger.
            return body.slice(0, length);
        } catch (IOException | RuntimeException e) {
            body.close();
            throw Failures.of(e);
        }
    }

    /** Every message has come. */
    synchronized void whole() {
        whole = true;
        notifyAll();
    }

    /** Nothing more will come. */
    synchronized void brokenOff() {
        if (!whole && failure == null) {
            failure = new EngineException(
                    EngineFailure.UNAVAILABLE,
                    "The connection to the engine's process was lost during the upload; nothing of it was kept",
                    "08006",
                    -1,
                    null);
            notifyAll();
        }
    }

    /** The engine reads no more. Idempotent. */
    synchronized void close() {
        closed = true;
        messages.forEach(IngestMessage::close);
        messages.clear();
        held = 0;
    }

    @Override
    public BufferAllocator allocator() {
        return allocator;
    }

    @Override
    public @Nullable IngestMessage poll(long millis) throws InterruptedException {
        begin();
        IngestMessage message;
        synchronized (this) {
            long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
            while (messages.isEmpty() && failure == null && !whole) {
                long left = TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime());
                if (left <= 0) {
                    return null;
                }
                wait(left);
            }
            if (failure != null) {
                throw failure;
            }
            message = messages.poll();
            if (message == null) {
                return null;
            }
            held -= message.bytes();
        }
        told.accept(new Reply.Taken(message.bytes(), message.part(), 0));
        return message;
    }

    private void begin() {
        synchronized (this) {
            if (begun) {
                return;
            }
            begun = true;
        }
        told.accept(new Reply.Taken(0, 0, 0));
    }

    @Override
    public synchronized boolean isComplete() {
        return whole && failure == null && messages.isEmpty();
    }

    @Override
    public void read(int part, long rows) {
        long all;
        synchronized (this) {
            all = rowsRead.merge(part, rows, Long::sum);
        }
        told.accept(new Reply.Taken(0, part, all));
    }

    /** What was told of rows, for a gateway that may not have heard it. */
    synchronized List<Reply.Taken> readSoFar() {
        List<Reply.Taken> all = new ArrayList<>();
        rowsRead.forEach((part, rows) -> all.add(new Reply.Taken(0, part, rows)));
        return all;
    }
}
