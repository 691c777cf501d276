package dev.weir.engine.process;

import dev.weir.engine.EngineException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A child of a pool in the hands of one call. Thread-safe. */
final class Loaned implements Lease {

    private static final Logger log = LoggerFactory.getLogger(Loaned.class);

    private final ChildPool pool;
    private final Child child;
    private final Use use;
    private final long bytes;
    private final boolean alone;
    private final boolean used;
    private final AtomicBoolean released = new AtomicBoolean();
    private volatile boolean ended;

    /**
     * @param bytes DuckDB's limit for the call
     * @param alone whether the child was started for this call, and ends with it
     */
    Loaned(ChildPool pool, Child child, Use use, long bytes, boolean alone) {
        this.pool = pool;
        this.child = child;
        this.use = use;
        this.bytes = bytes;
        this.alone = alone;
        this.used = child.isUsed();
    }

    Use use() {
        return use;
    }

    @Override
    public Child child() {
        return child;
    }

    @Override
    public long memoryBytes() {
        return bytes;
    }

    @Override
    public boolean isUsed() {
        return used;
    }

    @Override
    public void release(@Nullable EngineException failure) {
        if (released.compareAndSet(false, true)) {
            pool.giveBack(this, failure, true);
        }
    }

    /** The wish for it was given up, which has been counted already. */
    void discard() {
        if (released.compareAndSet(false, true)) {
            pool.giveBack(this, null, false);
        }
    }

    /** Whether nobody else may have the child after a call that ended so. */
    boolean isSpoiledBy(@Nullable EngineException failure) {
        return ended
                || alone
                || ChildFailures.spoils(failure)
                || child.exited().toCompletableFuture().isDone();
    }

    @Override
    public void stuck() {
        ended = true;
        log.warn("A cancelled query did not stop; its process {} is ended", child.pid());
        child.kill();
    }
}
