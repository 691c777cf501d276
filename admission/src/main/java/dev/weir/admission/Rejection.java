package dev.weir.admission;

import java.time.Duration;

/** Why a query was refused, with the figures a client needs to act on it. */
public sealed interface Rejection {

    /** When trying again makes sense; zero when it never does. */
    Duration retryAfter();

    /** The scope of a limit. */
    enum Scope {
        GLOBAL,
        GROUP,
        USER
    }

    /**
     * A queue was full.
     *
     * @param scope whose queue
     * @param name the user or group, or empty for the global queue
     * @param maxQueued its limit
     */
    record QueueFull(Scope scope, String name, int maxQueued, Duration retryAfter) implements Rejection {}

    /**
     * The query waited as long as it may.
     *
     * @param limit what held it when its time ran out
     * @param queueTimeout the wait it was allowed
     * @param position its place in the queue, from 1
     */
    record QueueTimeout(WaitReason limit, Duration queueTimeout, int position, Duration retryAfter)
            implements Rejection {}

    /**
     * More memory was asked for than any query may have; it would never run.
     *
     * @param requestedBytes asked for
     * @param maxBytes the limit {@code memory.max-per-query}
     */
    record MemoryTooLarge(long requestedBytes, long maxBytes) implements Rejection {
        @Override
        public Duration retryAfter() {
            return Duration.ZERO;
        }
    }

    /**
     * Queries come faster than allowed.
     *
     * @param scope whose rate
     * @param name the user or group, or empty for the global rate
     */
    record RateLimited(Scope scope, String name, RateLimit rate, Duration retryAfter) implements Rejection {}

    /** The gateway is shutting down. */
    record Draining(Duration retryAfter) implements Rejection {}
}
