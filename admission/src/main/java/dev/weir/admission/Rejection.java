package dev.weir.admission;

import java.time.Duration;
import java.util.Optional;

/** Why a query was refused, with the figures a client needs to act on it. */
public sealed interface Rejection {

    /** When trying again makes sense; zero when it never does. */
    Duration retryAfter();

    /**
     * How long the query would still have had to wait, as it was predicted when it was refused; unlike
     * {@link #retryAfter()} without bounds. Empty when it had not waited or nothing was measured.
     */
    default Optional<Duration> predictedWait() {
        return Optional.empty();
    }

    /** The scope of a limit. */
    enum Scope {
        GLOBAL,
        GROUP,
        USER;

        /** The name of a limit below {@code weir.admission} where no group sets those of its users. */
        private String nameOf(String group, String property) {
            return switch (this) {
                case GLOBAL -> property;
                case GROUP -> "groups." + group + "." + property;
                case USER -> "user." + property;
            };
        }
    }

    /**
     * A queue was full.
     *
     * @param scope whose queue
     * @param name the user or group, or empty for the global queue
     * @param maxQueued its limit
     * @param property the limit's name below {@code weir.admission}, where it is set
     */
    record QueueFull(Scope scope, String name, int maxQueued, Duration retryAfter, String property)
            implements Rejection {

        /** A limit that is set where limits of its kind usually are. */
        public QueueFull(Scope scope, String name, int maxQueued, Duration retryAfter) {
            this(scope, name, maxQueued, retryAfter, scope.nameOf(name, "max-queued"));
        }
    }

    /**
     * The query waited as long as it may.
     *
     * @param limit what held it when its time ran out
     * @param queueTimeout the wait it was allowed
     * @param position its place in the queue, from 1
     * @param predictedWait how long it would still have waited, as it was told while it waited
     */
    record QueueTimeout(
            WaitReason limit,
            Duration queueTimeout,
            int position,
            Duration retryAfter,
            Optional<Duration> predictedWait)
            implements Rejection {

        /** One for which nothing was predicted. */
        public QueueTimeout(WaitReason limit, Duration queueTimeout, int position, Duration retryAfter) {
            this(limit, queueTimeout, position, retryAfter, Optional.empty());
        }
    }

    /**
     * More memory was asked for than any query may have; it would never run.
     *
     * @param requestedBytes asked for
     * @param maxBytes the limit {@code memory.max-per-query}
     * @param property the limit's name below {@code weir.admission}, where it is set
     */
    record MemoryTooLarge(long requestedBytes, long maxBytes, String property) implements Rejection {

        /** The limit of all. */
        public MemoryTooLarge(long requestedBytes, long maxBytes) {
            this(requestedBytes, maxBytes, "memory.max-per-query");
        }

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
     * @param property the limit's name below {@code weir.admission}, where it is set
     */
    record RateLimited(Scope scope, String name, RateLimit rate, Duration retryAfter, String property)
            implements Rejection {

        /** A rate that is set where rates of its kind usually are. */
        public RateLimited(Scope scope, String name, RateLimit rate, Duration retryAfter) {
            this(scope, name, rate, retryAfter, scope.nameOf(name, "rate.requests"));
        }
    }

    /** The gateway is shutting down. */
    record Draining(Duration retryAfter) implements Rejection {}
}
