package dev.weir.engine.process;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.engine.Access;
import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.EngineIngest;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.EngineSession;
import dev.weir.engine.IngestFeed;
import dev.weir.engine.MetadataRequest;
import dev.weir.engine.QueryEngine;
import dev.weir.engine.SessionSettings;
import dev.weir.engine.SessionStatement;
import dev.weir.engine.StatementDescription;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A session in the child that owns the database. When that has ended, what the session held is gone: its transaction is
 * failed until it is ended, and then the session goes on in the next child. Thread-safe.
 */
final class SupervisedSession implements EngineSession {

    private final LeasedCall.Terms terms;
    private final Supplier<CompletableFuture<Lease>> leases;
    private final Access access;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    /** The session in a child; null before the first statement. */
    @GuardedBy("this")
    private @Nullable EngineSession inner;

    /** The child's engine. */
    @GuardedBy("this")
    private @Nullable QueryEngine bound;

    @GuardedBy("this")
    private boolean closing;

    SupervisedSession(LeasedCall.Terms terms, Supplier<CompletableFuture<Lease>> leases, Access access) {
        this.terms = terms;
        this.leases = leases;
        this.access = access;
    }

    @Override
    public EngineCall<StatementDescription> describe(EngineQuery query) {
        return call(null, session -> session.describe(query));
    }

    @Override
    public EngineCall<ArrowResult> execute(EngineQuery query) {
        return LeasedCall.start(
                terms,
                leases,
                engine -> on(engine, () -> engine.scan(query.sql()).session(), session -> session.execute(query)));
    }

    @Override
    public EngineCall<ArrowResult> ingest(EngineIngest ingest, IngestFeed feed) {
        return call(null, session -> session.ingest(ingest, feed));
    }

    @Override
    public @Nullable EngineCall<ArrowResult> metadata(MetadataRequest request) {
        EngineSession held = inner();
        return held == null ? null : held.metadata(request);
    }

    @Override
    public EngineCall<Void> begin(boolean readOnly) {
        return call(new SessionStatement.Begin(readOnly), session -> session.begin(readOnly));
    }

    @Override
    public EngineCall<Void> commit() {
        return call(new SessionStatement.Commit(), EngineSession::commit);
    }

    @Override
    public EngineCall<Void> rollback() {
        return call(new SessionStatement.Rollback(), EngineSession::rollback);
    }

    private <T> EngineCall<T> call(@Nullable SessionStatement statement, Function<EngineSession, EngineCall<T>> what) {
        return LeasedCall.start(terms, leases, engine -> on(engine, () -> statement, what));
    }

    /** Calls the session in that child; never throws. */
    private <T> EngineCall<T> on(
            QueryEngine engine,
            Supplier<@Nullable SessionStatement> statement,
            Function<EngineSession, EngineCall<T>> what) {
        try {
            return what.apply(in(engine, statement.get()));
        } catch (EngineException e) {
            return LeasedCall.failed(terms, e);
        }
    }

    private synchronized EngineSession in(QueryEngine engine, @Nullable SessionStatement statement) {
        if (closing) {
            throw conflict("The session is closed", "08003");
        }
        EngineSession held = inner;
        if (held != null && bound != engine) {
            giveUp(held, statement);
            held = null;
        }
        if (held == null) {
            held = engine.openSession(access);
            inner = held;
            bound = engine;
        }
        return held;
    }

    /** The child has ended: says once what is lost, and inside a transaction until that is ended. */
    @GuardedBy("this")
    private void giveUp(EngineSession held, @Nullable SessionStatement statement) {
        boolean inside = held.inTransaction();
        boolean ends = statement instanceof SessionStatement.Commit || statement instanceof SessionStatement.Rollback;
        boolean heldSomething = inside || held.hasTemporaryObjects();
        if (!inside || ends) {
            held.close();
            inner = null;
            bound = null;
        }
        if (heldSomething) {
            throw conflict(
                    "The engine's process has ended; the session's transaction was rolled back, its temporary objects"
                            + " are gone",
                    "25P02");
        }
    }

    private static EngineException conflict(String message, String sqlState) {
        return new EngineException(EngineFailure.CONFLICT, message, sqlState, -1, null);
    }

    private synchronized @Nullable EngineSession inner() {
        return inner;
    }

    @Override
    public boolean inTransaction() {
        EngineSession held = inner();
        return held != null && held.inTransaction();
    }

    @Override
    public boolean hasTemporaryObjects() {
        EngineSession held = inner();
        return held != null && held.hasTemporaryObjects();
    }

    @Override
    public SessionSettings settings() {
        EngineSession held = inner();
        return held == null ? SessionSettings.NONE : held.settings();
    }

    @Override
    public CompletionStage<Void> closed() {
        return closed;
    }

    @Override
    public void close() {
        EngineSession held;
        synchronized (this) {
            if (closing) {
                return;
            }
            closing = true;
            held = inner;
        }
        if (held == null) {
            closed.complete(null);
            return;
        }
        held.close();
        held.closed().whenComplete((nothing, never) -> closed.complete(nothing));
    }
}
