package dev.weir.engine;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * For whom a query runs and within what. An engine in the gateway's own process needs none of it, since admission has
 * promised the memory and the gateway's clocks end the query; an engine elsewhere enforces it where the query runs.
 *
 * @param user for the engine's log; not a credential
 * @param memoryBytes memory promised to the query, which an isolated engine makes its limit; 0 for none of its own
 * @param shortQuery whether it runs in the lane for short queries, which may share a process
 * @param timeLeft until its statement timeout, counted from the call; null for none
 * @param traceParent of the trace that its work belongs to, as W3C writes it; null for none
 */
public record QueryContext(
        String user,
        long memoryBytes,
        boolean shortQuery,
        @Nullable Duration timeLeft,
        @Nullable String traceParent) {

    /** No user, no limits. */
    public static final QueryContext NONE = new QueryContext("", 0, false, null);

    /** Without a trace. */
    public QueryContext(String user, long memoryBytes, boolean shortQuery, @Nullable Duration timeLeft) {
        this(user, memoryBytes, shortQuery, timeLeft, null);
    }

    public QueryContext {
        Objects.requireNonNull(user);
        if (memoryBytes < 0) {
            throw new IllegalArgumentException("memoryBytes must not be negative, was " + memoryBytes);
        }
    }
}
