package dev.weir.engine.duckdb;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.apache.arrow.memory.BufferAllocator;
import org.duckdb.DuckDBConnection;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection and everything native that belongs to one call. At most one thread is inside at a time; whoever ends
 * the scope (the thread that leaves last, or the reaper when nobody is inside) frees everything, in reverse order.
 *
 * <p>Ending a scope while a thread is inside raises the interrupt flag again and again until that thread leaves: DuckDB
 * clears the flag when a statement begins, so a single one can be lost.
 */
final class NativeScope {

    private enum State {
        IDLE,
        INSIDE,
        ENDED
    }

    private static final Logger log = LoggerFactory.getLogger(NativeScope.class);

    /** How long a sender may hold the buffers of a closed result before that is logged as a leak. */
    private static final int GIVE_BACK_MILLIS = 120_000;

    /** How long the end of a lent result waits for the batch under way before it interrupts, which fails a transaction. */
    private static final int PATIENCE_MILLIS = 50;

    private final Reaper reaper;
    private final @Nullable Consumer<NativeScope> lender;
    private final AtomicReference<State> state = new AtomicReference<>(State.IDLE);
    /** Completes when no native work is left. */
    private final CompletableFuture<Void> idle = new CompletableFuture<>();
    /** Completes when the memory is given back too: whoever still sends a batch holds its buffers. */
    private final CompletableFuture<Void> stopped = new CompletableFuture<>();
    /** Touched by the thread inside, then by the one that ends the scope; {@code state} orders them. */
    private final Deque<AutoCloseable> resources = new ArrayDeque<>();

    private final Object connectionLock = new Object();
    private @Nullable DuckDBConnection connection;
    private @Nullable BufferAllocator memory;
    private volatile boolean ending;
    private volatile boolean cancelled;
    private volatile boolean failed;
    private volatile boolean result;

    NativeScope(Reaper reaper) {
        this(reaper, null);
    }

    /** @param lender gets the connection back when everything else is freed; null when it is this scope's to close */
    NativeScope(Reaper reaper, @Nullable Consumer<NativeScope> lender) {
        this.reaper = reaper;
        this.lender = lender;
    }

    /** Lets the calling thread in; false when the scope is ending or another thread is inside. */
    boolean enter() {
        return !ending && state.compareAndSet(State.IDLE, State.INSIDE);
    }

    /** Lets the calling thread out; frees everything when the scope was ended meanwhile. */
    void leave() {
        if (ending) {
            finish();
            return;
        }
        state.set(State.IDLE);
        if (ending && state.compareAndSet(State.IDLE, State.ENDED)) {
            free();
        }
    }

    /** Ends the scope from inside. */
    void finish() {
        ending = true;
        state.set(State.ENDED);
        free();
    }

    /** Ends the scope from inside, because its work failed. */
    void fail() {
        failed = true;
        finish();
    }

    /** Ends the scope from outside; returns at once. True for the call that ended it. */
    boolean end() {
        synchronized (connectionLock) {
            if (ending) {
                return false;
            }
            ending = true;
        }
        if (state.compareAndSet(State.IDLE, State.ENDED)) {
            reaper.run(this::free);
        } else if (state.get() == State.INSIDE) {
            reaper.interruptUntilStopped(this, lender != null && result ? PATIENCE_MILLIS : 0);
        }
        return true;
    }

    /** Ends the scope because someone asked for it. */
    void cancel() {
        cancelled = true;
        end();
    }

    boolean isCancelled() {
        return cancelled;
    }

    /** Whether the work of this scope failed or was cancelled. */
    boolean isTroubled() {
        return cancelled || failed;
    }

    /** From now on this scope is a result in its reader's hands. */
    void becomeResult() {
        result = true;
    }

    boolean isResult() {
        return result;
    }

    boolean isEnding() {
        return ending;
    }

    /** The connection, owned by this scope from now on, or lent to it. */
    DuckDBConnection own(DuckDBConnection opened) {
        synchronized (connectionLock) {
            connection = opened;
        }
        return opened;
    }

    /** Lets the thread inside work on another connection for a while: an interrupt goes there. */
    void workOn(DuckDBConnection other) {
        own(other);
    }

    /** Something to close before the connection, and before what was added earlier. */
    <T extends AutoCloseable> T add(T resource) {
        resources.push(resource);
        return resource;
    }

    /** The allocator of this scope's buffers; closed last, once all buffers were given back. */
    BufferAllocator own(BufferAllocator allocator) {
        memory = allocator;
        return allocator;
    }

    void interrupt() {
        synchronized (connectionLock) {
            if (connection != null) {
                NativeInterrupt.interrupt(connection);
            }
        }
    }

    CompletableFuture<Void> idle() {
        return idle;
    }

    CompletableFuture<Void> stopped() {
        return stopped;
    }

    private void free() {
        AutoCloseable resource;
        while ((resource = resources.poll()) != null) {
            close(resource);
        }
        DuckDBConnection closing;
        synchronized (connectionLock) {
            closing = connection;
            connection = null;
        }
        if (lender != null) {
            lender.accept(this);
        } else if (closing != null) {
            close(closing);
        }
        idle.complete(null);
        if (memory == null) {
            stopped.complete(null);
        } else {
            giveBack(memory, 0);
        }
    }

    private void giveBack(BufferAllocator allocator, int waitedMillis) {
        if (allocator.getAllocatedMemory() > 0 && waitedMillis < GIVE_BACK_MILLIS && !reaper.isClosed()) {
            int delay = Math.min(250, 1 + waitedMillis / 4);
            reaper.later(() -> giveBack(allocator, waitedMillis + delay), delay);
            return;
        }
        try {
            allocator.close();
        } catch (IllegalStateException e) {
            log.error("The buffers of a result were not given back: {}", allocator.getName(), e);
        }
        stopped.complete(null);
    }

    private static void close(AutoCloseable resource) {
        try {
            resource.close();
        } catch (Exception | LinkageError e) {
            log.debug("Closing {} failed", resource.getClass().getSimpleName(), e);
        }
    }
}
