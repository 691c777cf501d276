package dev.weir.engine;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A process that runs queries for an engine, as an operator sees it.
 *
 * @param name unique within the engine
 * @param address host and port, or the process id of a child
 * @param state as the gateway sees it
 * @param since when it got that state
 * @param slots most queries at once
 * @param running queries that run there now, those of other gateways included where they are known
 * @param memoryBytes most memory promised to them together
 * @param reservedBytes promised now
 * @param limit what bounds the memory of one query there: {@code cgroup}, {@code address-space}, {@code engine} or
 *     {@code none}
 * @param reason why it is not healthy; null when it is
 */
public record EngineNode(
        String name,
        String address,
        State state,
        Instant since,
        int slots,
        int running,
        long memoryBytes,
        long reservedBytes,
        String limit,
        @Nullable String reason) {

    /** The states; only a healthy node gets new queries. */
    public enum State {
        /** Answers. */
        HEALTHY,
        /** Failed lately, or is coming back: gets few queries. */
        SUSPECT,
        /** Does not answer. */
        DOWN,
        /** Finishes what it has and takes nothing new. */
        DRAINING
    }

    /** Whether the operating system holds each query there to its memory, so that its peak is its own. */
    public boolean enforcesMemory() {
        return limit.equals("cgroup") || limit.equals("address-space");
    }
}
