package dev.weir.gateway.query;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.engine.EngineException;
import dev.weir.engine.IngestFeed;
import dev.weir.engine.IngestMessage;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.jspecify.annotations.Nullable;

/** The messages of an ingest between its uploads and the engine: a window of bytes, shared by the parts. */
final class UploadFeed implements IngestFeed {

    /** Held for an engine that is behind: enough that it never waits for a client that is not. */
    private static final long WINDOW_BYTES = 32L << 20;

    /** One upload's share. */
    private static final class Part {
        private long held;
        private long rows;
        private long lastNanos;
        private boolean joined;
        private boolean ended;
        private boolean waits;
        private Runnable onRoom = () -> {};
    }

    private final BufferAllocator allocator;
    private final LongSupplier nanoTime;
    private final long window;
    private final Runnable onStart;
    private final LongSink bytesRead;

    @GuardedBy("this")
    private final Part[] parts;

    @GuardedBy("this")
    private final Deque<IngestMessage> messages = new ArrayDeque<>();

    @GuardedBy("this")
    private boolean started;

    @GuardedBy("this")
    private boolean closed;

    @GuardedBy("this")
    private @Nullable EngineException failure;

    /** Is told of rows and bytes that the engine took. */
    interface LongSink {
        void add(long rows, long bytes);
    }

    /** @param onStart told once, when the engine begins to read */
    UploadFeed(BufferAllocator allocator, int count, LongSupplier nanoTime, Runnable onStart, LongSink read) {
        this.allocator = allocator;
        this.nanoTime = nanoTime;
        this.window = Math.max(1, WINDOW_BYTES / count);
        this.onStart = onStart;
        this.bytesRead = read;
        this.parts = new Part[count];
        for (int i = 0; i < count; i++) {
            parts[i] = new Part();
        }
    }

    /** @return false when that part was taken before */
    synchronized boolean join(int part) {
        boolean first = !parts[part].joined;
        parts[part].joined = true;
        parts[part].lastNanos = nanoTime.getAsLong();
        return first;
    }

    synchronized void onRoom(int part, Runnable action) {
        parts[part].onRoom = action;
    }

    synchronized boolean hasRoom(int part) {
        Part asked = parts[part];
        boolean room = closed || (started && asked.held < window);
        asked.waits = !room;
        return room;
    }

    synchronized void arriving(int part) {
        parts[part].lastNanos = nanoTime.getAsLong();
    }

    /** Takes the body over. */
    void add(int part, ByteBuffer metadata, ArrowBuf body) {
        IngestMessage message = new IngestMessage(part, metadata, body);
        synchronized (this) {
            parts[part].lastNanos = nanoTime.getAsLong();
            if (!closed && !parts[part].ended) {
                parts[part].held += message.bytes();
                messages.add(message);
                notifyAll();
                return;
            }
        }
        message.close();
    }

    synchronized void end(int part) {
        parts[part].ended = true;
        notifyAll();
    }

    synchronized boolean hasEnded(int part) {
        return parts[part].ended;
    }

    synchronized long rows(int part) {
        return parts[part].rows;
    }

    /** The engine learns of it at its next read. */
    synchronized void fail(EngineException why) {
        if (failure == null) {
            failure = why;
        }
        notifyAll();
    }

    /** The part that has kept the engine waiting for the longest, and since when; null when none does. */
    synchronized @Nullable Idle idle(long now) {
        Idle longest = null;
        for (int i = 0; i < parts.length; i++) {
            Part part = parts[i];
            if (!part.ended && !part.waits) {
                long nanos = now - part.lastNanos;
                if (longest == null || nanos > longest.nanos()) {
                    longest = new Idle(i, nanos, part.joined);
                }
            }
        }
        return longest;
    }

    /** @param joined whether it has come at all */
    record Idle(int part, long nanos, boolean joined) {}

    @Override
    public BufferAllocator allocator() {
        return allocator;
    }

    @Override
    public @Nullable IngestMessage poll(long millis) throws InterruptedException {
        start();
        IngestMessage message;
        Runnable room = null;
        synchronized (this) {
            long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
            while (messages.isEmpty() && failure == null && !allEnded()) {
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
            Part part = parts[message.part()];
            part.held -= message.bytes();
            if (part.waits && part.held < window) {
                part.waits = false;
                part.lastNanos = nanoTime.getAsLong();
                room = part.onRoom;
            }
        }
        bytesRead.add(0, message.bytes());
        if (room != null) {
            room.run();
        }
        return message;
    }

    private void start() {
        Runnable[] waiting;
        synchronized (this) {
            if (started) {
                return;
            }
            started = true;
            waiting = letAllIn();
        }
        onStart.run();
        for (Runnable action : waiting) {
            action.run();
        }
    }

    @GuardedBy("this")
    private Runnable[] letAllIn() {
        Runnable[] waiting = new Runnable[parts.length];
        for (int i = 0; i < parts.length; i++) {
            Part part = parts[i];
            part.lastNanos = nanoTime.getAsLong();
            waiting[i] = part.waits ? part.onRoom : () -> {};
            part.waits = false;
        }
        return waiting;
    }

    @GuardedBy("this")
    private boolean allEnded() {
        for (Part part : parts) {
            if (!part.ended) {
                return false;
            }
        }
        return true;
    }

    @Override
    public synchronized boolean isComplete() {
        return failure == null && messages.isEmpty() && allEnded();
    }

    @Override
    public void read(int part, long rows) {
        synchronized (this) {
            parts[part].rows += rows;
        }
        bytesRead.add(rows, 0);
    }

    /** Nobody reads any more: what is held is given back, and so is what comes. */
    void close() {
        Runnable[] waiting;
        synchronized (this) {
            closed = true;
            messages.forEach(IngestMessage::close);
            messages.clear();
            waiting = letAllIn();
        }
        for (Runnable action : waiting) {
            action.run();
        }
    }
}
