package dev.weir.admission;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** What was decided under the lock, to be told after it. */
final class Decisions {

    /** News of the query whose call this was; told first, in the thread of the call. */
    Runnable own = () -> {};

    /** Waiters whose wait is over. */
    final List<Waiter> ended = new ArrayList<>(1);

    /** Paused queries that have a slot again. */
    final List<Permit> resumed = new ArrayList<>(0);

    /** Queries that left the lane because they took too long. */
    final List<Permit> overran = new ArrayList<>(0);

    /** A paused query that was closed while it waited for its slot. */
    @Nullable
    CompletableFuture<Void> notResumed;

    /** The waiter whose time runs out first, if its deadline is a new one. */
    @Nullable
    Waiter alarmFor;

    /** When the next query in the lane takes too long. */
    @Nullable
    Long overrunAt;

    /** When the next query that the engine sent back may be tried again. */
    @Nullable
    Long backoffOverAt;

    /** A drain whose last permit was closed. */
    @Nullable
    CompletableFuture<Void> drained;

    /** A drain that was ended before that. */
    @Nullable
    CompletableFuture<Void> resumedDrain;
}
