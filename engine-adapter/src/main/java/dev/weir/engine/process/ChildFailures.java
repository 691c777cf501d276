package dev.weir.engine.process;

import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What a failure of a child's engine means for the query, given how the child fares. */
final class ChildFailures {

    /** A broken stream is seen before the end of the process behind it. */
    private static final int EXIT_MILLIS = 2_000;

    /** SQLSTATE of a disk that is full, or a limit of temp files that is reached. */
    private static final String TEMP_SPACE = "53100";

    /** SQLSTATE of a connection that was lost; of a call that is UNAVAILABLE, before it could have an effect. */
    private static final String CONNECTION_LOST = "08006";

    private final @Nullable String limitName;

    /** @param limitName the property that sets a query's memory; null when it has none of its own */
    ChildFailures(@Nullable String limitName) {
        this.limitName = limitName;
    }

    static EngineException cancelled() {
        return new EngineException(EngineFailure.CANCELLED, "The query was cancelled", "57014", -1, null);
    }

    static EngineException unavailable(String message) {
        return new EngineException(EngineFailure.UNAVAILABLE, message, "57P03", -1, null);
    }

    static EngineException busy() {
        return new EngineException(
                EngineFailure.BUSY, "Every process that can run the query is taken", "53300", -1, null);
    }

    /**
     * For who waited long enough for a child.
     *
     * @param failing whether children cannot be started; else they are only slow to start, on a busy machine, and a query
     *     waits on in its queue
     */
    static EngineException late(Use use, boolean failing) {
        return failing || use == Use.SHARED
                ? unavailable("No process became ready to run the query; try again")
                : busy();
    }

    /** What a stage failed with, unwrapped. */
    static Throwable root(Throwable thrown) {
        Throwable cause = thrown;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    /** Never wrapped. */
    static EngineException of(Throwable thrown) {
        Throwable cause = root(thrown);
        return cause instanceof EngineException already
                ? already
                : new EngineException(
                        EngineFailure.INTERNAL, "The engine failed on this statement", "XX000", -1, cause);
    }

    /** Whether a child that failed so must not get another query. */
    static boolean spoils(@Nullable EngineException failure) {
        if (failure == null) {
            return false;
        }
        return switch (failure.failure()) {
            case MEMORY -> !TEMP_SPACE.equals(failure.sqlState());
            case LOST, INTERNAL, UNAVAILABLE -> true;
            default -> false;
        };
    }

    /** Whether a call may have failed by what others left, or took, of the memory of its child. */
    static boolean mayHaveHadLess(EngineException failure, Lease lease) {
        return lease.isUsed() && failure.failure() == EngineFailure.MEMORY && !TEMP_SPACE.equals(failure.sqlState());
    }

    /** Completes (never exceptionally) with the failure in the words and of the kind that the client gets. */
    CompletionStage<EngineException> translate(EngineException failure, Lease lease) {
        return switch (failure.failure()) {
            case MEMORY ->
                CompletableFuture.completedFuture(
                        TEMP_SPACE.equals(failure.sqlState()) ? failure : memory(lease, failure));
            case LOST, UNAVAILABLE ->
                lease.child()
                        .exited()
                        .toCompletableFuture()
                        .copy()
                        .orTimeout(EXIT_MILLIS, TimeUnit.MILLISECONDS)
                        .handle((exit, late) -> late != null ? failure : ended(failure, lease, exit));
            default -> CompletableFuture.completedFuture(failure);
        };
    }

    private EngineException ended(EngineException failure, Lease lease, ChildExit exit) {
        boolean without = exit.wanted() || CONNECTION_LOST.equals(failure.sqlState());
        if (failure.failure() == EngineFailure.UNAVAILABLE && without) {
            return failure;
        }
        if (exit.memory()) {
            return memory(lease, failure);
        }
        // Whether a call came to a process that ended is not known: it may have run.
        return new EngineException(
                EngineFailure.LOST, "The process that ran the query " + exit.words(), "08006", -1, failure);
    }

    private EngineException memory(Lease lease, EngineException failure) {
        if (limitName == null) {
            return failure.failure() == EngineFailure.MEMORY
                    ? failure
                    : new EngineException(
                            EngineFailure.LOST,
                            "The process that ran the query had no memory left",
                            "08006",
                            -1,
                            failure);
        }
        long bytes = lease.memoryBytes();
        return new EngineException(
                EngineFailure.MEMORY,
                "The query needs more memory than " + limitName + " gives it: " + bytes + " bytes (" + (bytes >> 20)
                        + " MB)",
                "53200",
                -1,
                failure);
    }
}
