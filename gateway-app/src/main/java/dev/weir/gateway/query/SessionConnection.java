package dev.weir.gateway.query;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.engine.Access;
import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.EngineSession;
import dev.weir.engine.MetadataRequest;
import dev.weir.engine.QueryEngine;
import dev.weir.engine.StatementDescription;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A session's connection and the calls on it, which wait a little for each other. Thread-safe. */
final class SessionConnection {

    /**
     * A client that closes a result and goes on at once may be faster than the news of its close. So long a statement
     * waits for the one before, and only then finds a conflict.
     */
    static final Duration GRACE = Duration.ofMillis(250);

    private final EngineSession engine;
    private final Access access;
    private final Timers timers;
    private final Consumer<SessionConnection> free;

    @GuardedBy("this")
    private int running;

    /** Completes when the call that came last is through. */
    @GuardedBy("this")
    private CompletableFuture<Void> last = CompletableFuture.completedFuture(null);

    /**
     * A call's turn.
     *
     * @param before completes when the call before is through
     * @param mine completes when this one is
     */
    record Turn(CompletableFuture<Void> before, CompletableFuture<Void> mine) {

        /** The same, without waiting. */
        Turn atOnce() {
            return new Turn(CompletableFuture.completedFuture(null), mine);
        }
    }

    /**
     * @param access what the role of its user permitted
     * @param free told when the last call is through; another may have come already
     */
    SessionConnection(EngineSession engine, Access access, Timers timers, Consumer<SessionConnection> free) {
        this.engine = engine;
        this.access = access;
        this.timers = timers;
        this.free = free;
    }

    /** Describing needs no connection that stays. */
    static EngineCall<StatementDescription> describeAside(QueryEngine engine, EngineQuery query) {
        EngineSession passing = engine.openSession(query.access());
        EngineCall<StatementDescription> call = passing.describe(query);
        call.stopped().whenComplete((nothing, never) -> passing.close());
        return call;
    }

    EngineSession engine() {
        return engine;
    }

    Access access() {
        return access;
    }

    synchronized boolean isIdle() {
        return running == 0;
    }

    /** Takes a turn, which must be used by {@link #call}. */
    synchronized Turn enter() {
        Turn turn = new Turn(last, new CompletableFuture<>());
        last = turn.mine();
        running++;
        return turn;
    }

    /**
     * Makes a call.
     *
     * @param seen gets its value first
     * @param lasting when what the value stands for is through; gives null for at once
     */
    <T> EngineCall<T> call(
            Turn turn,
            Function<EngineSession, EngineCall<T>> start,
            Consumer<T> seen,
            Function<T, @Nullable CompletionStage<Void>> lasting) {
        SessionCall<T> call = new SessionCall<>();
        Supplier<EngineCall<T>> starting = () -> start.apply(engine);
        call.result().whenComplete((value, failure) -> {
            CompletionStage<Void> rest = failure == null ? lasting.apply(value) : null;
            CompletionStage<Void> through = rest == null ? call.stopped() : rest;
            through.whenComplete((nothing, never) -> leave(turn));
        });
        if (turn.before().isDone()) {
            call.start(starting, seen);
            return call;
        }
        Timers.Timer late = timers.schedule(GRACE, () -> call.start(starting, seen));
        turn.before().whenComplete((nothing, never) -> {
            late.cancel();
            call.start(starting, seen);
        });
        return call;
    }

    /**
     * Answers a question about the catalog as the session sees it.
     *
     * @param others answers as everybody sees it, where the session cannot tell
     */
    EngineCall<ArrowResult> metadata(Turn turn, MetadataRequest request, QueryEngine others) {
        Function<EngineSession, EngineCall<ArrowResult>> asked = on -> {
            EngineCall<ArrowResult> own = on.metadata(request);
            return own == null ? others.metadata(request) : own;
        };
        // The answer is in memory: the connection is free before it is read.
        return call(turn, asked, result -> {}, result -> null);
    }

    private void leave(Turn turn) {
        boolean none;
        synchronized (this) {
            none = --running == 0;
        }
        if (none) {
            free.accept(this);
        }
        turn.mine().complete(null);
    }
}
