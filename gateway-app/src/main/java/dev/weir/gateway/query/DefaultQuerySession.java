package dev.weir.gateway.query;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.auth.Identity;
import dev.weir.engine.Access;
import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineIngest;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.EngineSession;
import dev.weir.engine.IngestFeed;
import dev.weir.engine.MetadataRequest;
import dev.weir.engine.QueryEngine;
import dev.weir.engine.SessionSettings;
import dev.weir.engine.SessionStatement;
import dev.weir.engine.StatementDescription;
import dev.weir.engine.StatementRunner;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A session of the service. It is the {@link StatementRunner} of its queries: each, once it is admitted, runs on the
 * session's connection if there is one, or needs one, and else on the engine's.
 */
final class DefaultQuerySession implements QuerySession, StatementRunner {

    private final String user;
    private final DefaultQueryService service;
    private final QueryEngine engine;
    private final Timers timers;
    private final Duration idleTimeout;
    private final OpenSessions open;

    private volatile SessionSettings settings = SessionSettings.NONE;

    /** The connection; null while none is needed. */
    @GuardedBy("this")
    private @Nullable SessionConnection pinned;

    /** Of the transaction, until its client ends it; null without one. */
    @GuardedBy("this")
    private @Nullable String transaction;

    /** Why that transaction is gone although its client has not ended it; null while it is not. */
    @GuardedBy("this")
    private @Nullable GatewayException lost;

    @GuardedBy("this")
    private Timers.@Nullable Timer idle;

    @GuardedBy("this")
    private boolean closed;

    /** A call that may be made on the connection. */
    private record Call(SessionConnection on, SessionConnection.Turn turn) {}

    DefaultQuerySession(
            String user,
            DefaultQueryService service,
            QueryEngine engine,
            Timers timers,
            Duration idleTimeout,
            OpenSessions open) {
        this.user = user;
        this.service = service;
        this.engine = engine;
        this.timers = timers;
        this.idleTimeout = idleTimeout;
        this.open = open;
    }

    String user() {
        return user;
    }

    @Override
    public SessionSettings settings() {
        return settings;
    }

    @Override
    public void settings(SessionSettings value) {
        settings = value;
    }

    @Override
    public QueryExecution submit(Identity identity, QueryRequest request) {
        checkUser(identity);
        return service.submit(identity, request, this);
    }

    @Override
    public CompletionStage<Description> describe(Identity identity, String sql, SessionSettings with) {
        checkUser(identity);
        return service.describe(identity, sql, with, this);
    }

    private void checkUser(Identity identity) {
        if (!identity.user().equals(user) || isClosed()) {
            throw SessionProblems.unknown();
        }
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    @Override
    public EngineCall<ArrowResult> execute(EngineQuery query) {
        SessionStatement statement = engine.scan(query.sql()).session();
        Call call;
        synchronized (this) {
            requireUsable(query.access(), statement);
            if (pinned == null && statement == null) {
                return engine.execute(query);
            }
            call = enter(pin(query.access()));
        }
        return run(call, on -> on.execute(query), statement);
    }

    private EngineCall<ArrowResult> run(
            Call call, Function<EngineSession, EngineCall<ArrowResult>> what, @Nullable SessionStatement statement) {
        return call.on().call(call.turn(), what, result -> noteChange(call.on(), statement), ArrowResult::stopped);
    }

    @Override
    public IngestInlet ingest(Identity identity, IngestRequest request) {
        checkUser(identity);
        return service.ingest(identity, request, this);
    }

    @Override
    public EngineCall<ArrowResult> ingest(EngineIngest ingest, IngestFeed feed) {
        Call call;
        synchronized (this) {
            requireUsable(ingest.access(), null);
            if (pinned == null && !ingest.target().temporary()) {
                return engine.ingest(ingest, feed);
            }
            call = enter(pin(ingest.access()));
        }
        return run(call, on -> on.ingest(ingest, feed), null);
    }

    private void noteChange(SessionConnection on, @Nullable SessionStatement statement) {
        if (statement instanceof SessionStatement.Setting) {
            settings = on.engine().settings();
        }
        synchronized (this) {
            noteTransaction(on);
        }
    }

    @Override
    public EngineCall<StatementDescription> describe(EngineQuery query) {
        SessionStatement statement = engine.scan(query.sql()).session();
        Call call;
        synchronized (this) {
            requireUsable(query.access(), statement);
            if (pinned == null) {
                return statement == null ? engine.describe(query) : SessionConnection.describeAside(engine, query);
            }
            call = enter(pinned);
        }
        return call.on().call(call.turn(), on -> on.describe(query), value -> {}, value -> null);
    }

    @Override
    public CompletionStage<ResultStream> metadata(Identity identity, MetadataRequest request) {
        checkUser(identity);
        return service.metadata(identity, () -> catalog(RequestChecks.access(identity.role()), request));
    }

    /** On the connection when that is free, and else as everybody sees it: nothing waits for a result. */
    private EngineCall<ArrowResult> catalog(Access now, MetadataRequest request) {
        Call call;
        synchronized (this) {
            if (pinned == null || lost != null || pinned.access() != now || !pinned.isIdle()) {
                return engine.metadata(request);
            }
            call = enter(pinned);
        }
        return call.on().metadata(call.turn(), request, engine);
    }

    /** Refuses what must not run outside of a transaction that its client believes in. */
    @GuardedBy("this")
    private void requireUsable(Access now, @Nullable SessionStatement statement) {
        if (closed) {
            throw SessionProblems.closed();
        }
        if (pinned != null && pinned.access() != now) {
            boolean inside = pinned.engine().inTransaction();
            unpin(pinned);
            GatewayException gone = SessionProblems.otherRole();
            lost = inside ? gone : lost;
            throw gone;
        }
        GatewayException why = lost;
        if (why == null) {
            return;
        }
        boolean rollsBack = statement instanceof SessionStatement.Rollback;
        if (rollsBack || statement instanceof SessionStatement.Commit) {
            forgetTransaction();
        }
        if (!rollsBack) {
            throw why;
        }
        // What it rolls back is gone already; the engine answers it on an empty transaction.
        EngineCall<Void> unused = pin(now).engine().begin(true);
    }

    @GuardedBy("this")
    private void forgetTransaction() {
        lost = null;
        transaction = null;
    }

    @GuardedBy("this")
    private SessionConnection pin(Access now) {
        SessionConnection held = pinned;
        if (held == null) {
            held = new SessionConnection(engine.openSession(now), now, timers, this::free);
            pinned = held;
        }
        return held;
    }

    @GuardedBy("this")
    private void unpin(SessionConnection held) {
        held.engine().close();
        if (pinned == held) {
            pinned = null;
        }
        stopIdle();
    }

    @GuardedBy("this")
    private Call enter(SessionConnection on) {
        stopIdle();
        return new Call(on, on.enter());
    }

    /** No call is left on the connection: it is given back when nothing keeps it, or its idle time begins. */
    private synchronized void free(SessionConnection on) {
        noteTransaction(on);
        if (pinned != on || closed || !on.isIdle()) {
            return;
        }
        stopIdle();
        if (on.engine().inTransaction()) {
            idle = timers.schedule(idleTimeout, () -> idledTooLong(on));
        } else if (!on.engine().hasTemporaryObjects()) {
            unpin(on);
        }
    }

    @GuardedBy("this")
    private void noteTransaction(SessionConnection on) {
        if (pinned != on || lost != null) {
            return;
        }
        if (!on.engine().inTransaction()) {
            transaction = null;
        } else if (transaction == null) {
            transaction = UUID.randomUUID().toString();
        }
    }

    @GuardedBy("this")
    private void stopIdle() {
        if (idle != null) {
            idle.cancel();
            idle = null;
        }
    }

    private void idledTooLong(SessionConnection on) {
        Call call;
        synchronized (this) {
            if (!on.isIdle() || pinned != on || !on.engine().inTransaction()) {
                return;
            }
            lost = SessionProblems.idle(idleTimeout);
            open.idled();
            if (!on.engine().hasTemporaryObjects()) {
                unpin(on);
                return;
            }
            call = enter(on);
        }
        EngineCall<Void> unused = on.call(call.turn(), EngineSession::rollback, nothing -> {}, nothing -> null);
    }

    @Override
    public CompletionStage<String> begin(Identity identity, boolean readOnly) {
        Call call;
        try {
            checkUser(identity);
            synchronized (this) {
                Access now = RequestChecks.access(identity.role());
                requireUsable(now, null);
                call = enter(pin(now));
            }
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(Failures.of(e, null, true));
        }
        return run(call, call.turn(), on -> on.begin(readOnly)).handle((nothing, failure) -> {
            String id = transactionId();
            if (failure != null || id == null) {
                throw Failures.of(failure == null ? SessionProblems.closed() : failure, null, true);
            }
            return id;
        });
    }

    private CompletionStage<Void> run(
            Call call, SessionConnection.Turn turn, Function<EngineSession, EngineCall<Void>> what) {
        return call.on()
                .call(turn, what, nothing -> noteChange(call.on(), null), nothing -> null)
                .result();
    }

    synchronized @Nullable String transactionId() {
        return transaction;
    }

    @Override
    public CompletionStage<Void> end(Identity identity, boolean commit) {
        Call call;
        try {
            checkUser(identity);
            synchronized (this) {
                GatewayException why = lost;
                if (why != null) {
                    forgetTransaction();
                    return commit ? CompletableFuture.failedFuture(why) : CompletableFuture.completedFuture(null);
                }
                if (pinned == null) {
                    throw SessionProblems.conflict("There is no transaction.");
                }
                call = enter(pinned);
            }
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(Failures.of(e, null, true));
        }
        // A rollback waits for nothing: it ends what runs.
        CompletionStage<Void> done = commit
                ? run(call, call.turn(), EngineSession::commit)
                : run(call, call.turn().atOnce(), EngineSession::rollback);
        return done.handle((nothing, failure) -> {
            noteChange(call.on(), null);
            if (failure != null) {
                throw Failures.of(failure, null, false);
            }
            return nothing;
        });
    }

    @Override
    public synchronized boolean hasTransaction(String id) {
        return id.equals(transaction);
    }

    @Override
    public synchronized boolean inTransaction() {
        return transaction != null;
    }

    @Override
    public synchronized boolean isPinned() {
        return pinned != null || lost != null;
    }

    /** Whether it holds a connection of the engine. */
    synchronized boolean holdsConnection() {
        return pinned != null;
    }

    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            forgetTransaction();
            if (pinned != null) {
                unpin(pinned);
            }
        }
        open.closed(this);
    }
}
