package dev.weir.engine.duckdb;

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
import dev.weir.engine.SessionSettings;
import dev.weir.engine.SessionStatement;
import dev.weir.engine.StatementDescription;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A session: one {@link PinnedConnection}, lent to one scope after the other. A scope that is ending may be followed by
 * the next one already, which starts when the connection is back.
 */
final class DuckDbSession implements EngineSession {

    private static final StatementDescription NO_ROWS =
            new StatementDescription(new Schema(List.of()), new Schema(List.of()));

    private final EngineCore core;
    private final Statements statements;
    private final Access access;
    private final PinnedConnection pinned;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    /** The scope that has the connection, or waits for it; null when the session is free. */
    @GuardedBy("this")
    private @Nullable NativeScope current;

    /** Scopes that are not freed; the connection is closed when there is none. */
    @GuardedBy("this")
    private int scopes;

    @GuardedBy("this")
    private boolean closing;

    /** A scope for the connection, and when that is there. */
    private record Turn(NativeScope scope, @Nullable CompletableFuture<Void> before) {}

    DuckDbSession(EngineCore core, Statements statements, Access access) {
        this.core = core;
        this.statements = statements;
        this.access = access;
        this.pinned = new PinnedConnection(core.connections());
        core.sessions().add(this);
    }

    @Override
    public EngineCall<StatementDescription> describe(EngineQuery query) {
        try {
            ScannedStatement statement = admit(query);
            SessionStatement session = statement.scan().session();
            if (session != null && !(session instanceof SessionStatement.Temporary)) {
                return DuckDbCall.completed(core.reaper(), NO_ROWS);
            }
            boolean plain = !pinned.isOpenTransaction() && !pinned.hasTemporaryObjects();
            StatementDescription known = plain ? statements.known(query, statement) : null;
            if (known != null) {
                return DuckDbCall.completed(core.reaper(), known);
            }
            return plain ? statements.describe(query, statement) : describe(query, statement);
        } catch (EngineException e) {
            return DuckDbCall.failed(core.reaper(), e);
        }
    }

    private EngineCall<StatementDescription> describe(EngineQuery query, ScannedStatement statement) {
        Turn turn = take(false);
        DuckDbCall<StatementDescription> call = new DuckDbCall<>(turn.scope());
        StatementDescriber describer = new StatementDescriber(pinned, turn.scope(), query, statement);
        return statements.startAfter(turn.before(), call, turn.scope(), describer::text, () -> {
            call.succeed(describer.describe().description());
            turn.scope().finish();
        });
    }

    @Override
    public EngineCall<ArrowResult> execute(EngineQuery query) {
        try {
            ScannedStatement statement = admit(query);
            SessionStatement session = statement.scan().session();
            if (session instanceof SessionStatement.Begin begin) {
                return begin(begin.readOnly(), this::nothing);
            } else if (session instanceof SessionStatement.Commit) {
                return end(true, this::nothing);
            } else if (session instanceof SessionStatement.Rollback) {
                return end(false, this::nothing);
            } else if (session instanceof SessionStatement.Setting setting) {
                return set(query, setting);
            }
            return run(query, statement);
        } catch (EngineException e) {
            return DuckDbCall.failed(core.reaper(), e);
        }
    }

    private EngineCall<ArrowResult> run(EngineQuery query, ScannedStatement statement) {
        Turn turn = take(false);
        NativeScope scope = turn.scope();
        DuckDbCall<ArrowResult> call = new DuckDbCall<>(scope);
        StatementRun run = new StatementRun(core, pinned, scope, query, statement);
        return statements.startAfter(turn.before(), call, scope, run::text, () -> {
            pinned.runs(statement, query.parameterRows().size());
            statements.execute(call, scope, run);
        });
    }

    @Override
    public EngineCall<ArrowResult> ingest(EngineIngest ingest, IngestFeed feed) {
        try {
            requireAccess(ingest.access());
            Turn turn = take(false);
            NativeScope scope = turn.scope();
            DuckDbCall<ArrowResult> call = new DuckDbCall<>(scope);
            IngestRun run = new IngestRun(core, pinned, scope, ingest, feed);
            return statements.startAfter(turn.before(), call, scope, SqlText.NONE, () -> {
                pinned.loads(ingest.target().temporary());
                statements.ingest(call, scope, run);
            });
        } catch (EngineException e) {
            return DuckDbCall.failed(core.reaper(), e);
        }
    }

    private EngineCall<ArrowResult> set(EngineQuery query, SessionStatement.Setting setting) {
        Turn turn = take(false);
        DuckDbCall<ArrowResult> call = new DuckDbCall<>(turn.scope());
        return statements.startAfter(turn.before(), call, turn.scope(), SqlText.OURS, () -> {
            pinned.set(turn.scope(), query, setting);
            turn.scope().finish();
            call.handOver(nothing(), ArrowResult::close);
        });
    }

    private ScannedStatement admit(EngineQuery query) {
        requireAccess(query.access());
        return statements.admit(query, true);
    }

    private void requireAccess(Access asked) {
        if (!access.covers(asked)) {
            throw new EngineException(
                    EngineFailure.FORBIDDEN,
                    "The session has " + access + " access, the statement asks for " + asked,
                    "42501",
                    -1,
                    null);
        }
    }

    @Override
    public @Nullable EngineCall<ArrowResult> metadata(MetadataRequest request) {
        NativeScope scope;
        synchronized (this) {
            if (closing || current != null || !pinned.hasOwnCatalog()) {
                return null;
            }
            scope = take(false).scope();
        }
        DuckDbCall<ArrowResult> call = new DuckDbCall<>(scope);
        return statements.start(call, scope, SqlText.OURS, () -> {
            ArrowResult result = core.catalog(pinned.look(scope), request);
            scope.finish();
            call.handOver(result, ArrowResult::close);
        });
    }

    private ArrowResult nothing() {
        return core.counted(0);
    }

    @Override
    public EngineCall<Void> begin(boolean readOnly) {
        try {
            return begin(readOnly, DuckDbSession::none);
        } catch (EngineException e) {
            return DuckDbCall.failed(core.reaper(), e);
        }
    }

    private <T> EngineCall<T> begin(boolean readOnly, Supplier<T> value) {
        synchronized (this) {
            requireFree();
            pinned.begin(readOnly);
        }
        return DuckDbCall.completed(core.reaper(), value.get());
    }

    @Override
    public EngineCall<Void> commit() {
        return endOrFail(true);
    }

    @Override
    public EngineCall<Void> rollback() {
        return endOrFail(false);
    }

    private EngineCall<Void> endOrFail(boolean commit) {
        try {
            return end(commit, DuckDbSession::none);
        } catch (EngineException e) {
            return DuckDbCall.failed(core.reaper(), e);
        }
    }

    /** Ends the transaction. The call cannot be cancelled: whether it was committed is no question to leave open. */
    private <T> EngineCall<T> end(boolean commit, Supplier<T> value) {
        Turn turn;
        synchronized (this) {
            if (!pinned.inTransaction()) {
                throw conflict("There is no transaction", "25P01");
            }
            if (current == null && pinned.endUnused()) {
                return DuckDbCall.completed(core.reaper(), value.get());
            }
            turn = take(!commit);
        }
        DuckDbCall<T> call = DuckDbCall.uncancellable(turn.scope());
        return statements.startAfter(turn.before(), call, turn.scope(), SqlText.OURS, () -> {
            boolean changed = pinned.end(turn.scope(), commit);
            if (changed) {
                statements.schemasChanged();
            }
            turn.scope().finish();
            call.succeed(value.get());
        });
    }

    @SuppressWarnings("NullAway") // A CompletionStage<Void> completes with null.
    private static Void none() {
        return null;
    }

    @GuardedBy("this")
    private void requireFree() {
        if (closing) {
            throw conflict("The session is closed", "08003");
        }
        if (current != null && !current.isEnding()) {
            throw conflict(
                    "The session has an open result; read it to its end or close it, or use another connection",
                    "24000");
        }
    }

    /**
     * Takes the connection next.
     *
     * @param cancels whether what has it now is cancelled, and not a conflict
     */
    private synchronized Turn take(boolean cancels) {
        NativeScope before = current;
        if (cancels && before != null && !closing) {
            before.cancel();
        }
        requireFree();
        NativeScope scope = core.newScope(this::returned);
        current = scope;
        scopes++;
        return new Turn(scope, before == null ? null : before.idle());
    }

    private static EngineException conflict(String message, String sqlState) {
        return new EngineException(EngineFailure.CONFLICT, message, sqlState, -1, null);
    }

    /** A scope is freed, on any thread: the connection is here again. */
    private void returned(NativeScope scope) {
        pinned.returned(scope);
        boolean last;
        synchronized (this) {
            if (current == scope) {
                current = null;
            }
            scopes--;
            last = closing && scopes == 0;
        }
        if (last) {
            free();
        }
    }

    private void free() {
        pinned.close();
        core.sessions().remove(this);
        closed.complete(none());
    }

    @Override
    public boolean inTransaction() {
        return pinned.inTransaction();
    }

    @Override
    public boolean hasTemporaryObjects() {
        return pinned.hasTemporaryObjects();
    }

    @Override
    public SessionSettings settings() {
        return pinned.settings();
    }

    @Override
    public CompletableFuture<Void> closed() {
        return closed;
    }

    @Override
    public void close() {
        NativeScope running;
        boolean idle;
        synchronized (this) {
            if (closing) {
                return;
            }
            closing = true;
            running = current;
            idle = scopes == 0;
        }
        if (running != null) {
            running.cancel();
        }
        if (idle) {
            core.reaper().run(this::free);
        }
    }
}
