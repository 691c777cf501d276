package dev.weir.engine.worker;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.engine.EngineException;
import org.jspecify.annotations.Nullable;

/** Slots and memory that queries hold. Thread-safe. */
final class Places {

    private final int slots;
    private final long memoryBytes;

    @GuardedBy("this")
    private int taken;

    @GuardedBy("this")
    private long reserved;

    Places(int slots, long memoryBytes) {
        this.slots = slots;
        this.memoryBytes = memoryBytes;
    }

    /** Takes a slot and memory, or says why not. */
    synchronized @Nullable EngineException take(long memory) {
        if (taken >= slots) {
            return Failures.busy("slot");
        }
        if (memory > memoryBytes - reserved) {
            return Failures.busy("memory");
        }
        taken++;
        reserved += memory;
        return null;
    }

    synchronized void give(long memory) {
        taken--;
        reserved -= memory;
    }

    synchronized int taken() {
        return taken;
    }

    synchronized long reserved() {
        return reserved;
    }
}
