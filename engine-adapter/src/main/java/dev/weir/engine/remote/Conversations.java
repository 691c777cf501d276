package dev.weir.engine.remote;

import dev.weir.engine.EngineStats;
import io.grpc.ManagedChannel;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.jspecify.annotations.Nullable;

/** What one engine shares among all that is under way with its worker. Thread-safe. */
final class Conversations {

    /** One for all engines of the process: its tasks are short, and there may be an engine for each child. */
    private static final ScheduledExecutorService TIMER = newTimer();

    private final RemoteSettings settings;
    private final Link link;
    private final BufferAllocator allocator = new RootAllocator();
    private final AtomicLong encodedBytes = new AtomicLong();
    private final Set<Conversation> open = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    Conversations(RemoteSettings settings) {
        this.settings = settings;
        this.link = new Link(settings, this::lost);
    }

    private static ScheduledExecutorService newTimer() {
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "weir-remote-timer");
            thread.setDaemon(true);
            return thread;
        });
        timer.setRemoveOnCancelPolicy(true);
        return timer;
    }

    private void lost(ManagedChannel channel) {
        for (Conversation conversation : open) {
            conversation.lost(channel);
        }
    }

    RemoteSettings settings() {
        return settings;
    }

    ScheduledExecutorService timer() {
        return TIMER;
    }

    BufferAllocator allocator() {
        return allocator;
    }

    /** Bytes of batches that are handed on as they came, and not closed. */
    AtomicLong encodedBytes() {
        return encodedBytes;
    }

    /** A channel for a call; null once the engine is closed. */
    @Nullable
    ManagedChannel channel() {
        return closed ? null : link.channel();
    }

    /** Breaks a connection on which the worker does not answer. */
    void discard(ManagedChannel dead) {
        link.discard(dead);
    }

    void add(Conversation conversation) {
        open.add(conversation);
        if (closed) {
            conversation.cancel();
        }
    }

    void remove(Conversation conversation) {
        open.remove(conversation);
    }

    boolean isQuiet() {
        return open.isEmpty();
    }

    void ping() {
        open.forEach(Conversation::ping);
    }

    EngineStats stats() {
        int results = 0;
        int active = 0;
        int unstopped = 0;
        for (Conversation conversation : open) {
            results += conversation.isOpen() ? 1 : 0;
            active += conversation.isActive() ? 1 : 0;
            unstopped += conversation.isUnstopped() ? 1 : 0;
        }
        return new EngineStats(results, active, unstopped, allocator.getAllocatedMemory() + encodedBytes.get());
    }

    /** No new ones from now on; those under way are cancelled. */
    CompletableFuture<Void> stop() {
        closed = true;
        return CompletableFuture.allOf(open.stream()
                .map(conversation -> {
                    conversation.cancel();
                    return conversation.stopped().toCompletableFuture();
                })
                .toArray(CompletableFuture[]::new));
    }

    /** Gives up what has not stopped, and the connection. Returns the bytes that readers have not given back. */
    long close() {
        open.forEach(Conversation::abandon);
        link.close();
        long left = allocator.getAllocatedMemory();
        if (left == 0) {
            allocator.close();
        }
        return left;
    }
}
