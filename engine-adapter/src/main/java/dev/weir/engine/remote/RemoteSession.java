package dev.weir.engine.remote;

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
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A session of a worker's engine, held there by a {@link RemoteHold} from the first statement that needs it. Its
 * transactions are begun and ended by statements, whose outcome tells the state. Thread-safe.
 */
final class RemoteSession implements EngineSession {

    /** SQLSTATE of a conflict that leaves the transaction as it was. */
    private static final String OPEN_RESULT = "24000";

    /** A statement that follows the close of a result may overtake it on its way: so long it waits for that result. */
    private static final long GRACE_MILLIS = 250;

    private final RemoteEngine engine;
    private final Access access;
    private final String token = UUID.randomUUID().toString();

    /** Knows the settings: a statement brings its own, so that they need not be the worker's to keep. */
    private final EngineSession plain;

    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    @GuardedBy("this")
    private @Nullable RemoteHold hold;

    /** Completes when the worker is through with the last result. */
    @GuardedBy("this")
    private CompletableFuture<Void> last = CompletableFuture.completedFuture(null);

    @GuardedBy("this")
    private boolean transaction;

    @GuardedBy("this")
    private boolean temporary;

    @GuardedBy("this")
    private boolean closing;

    RemoteSession(RemoteEngine engine, EngineSession plain, Access access) {
        this.engine = engine;
        this.plain = plain;
        this.access = access;
    }

    @Override
    public EngineCall<StatementDescription> describe(EngineQuery query) {
        return guarded(() -> {
            boolean alone = engine.scan(query.sql()).session() == null && !inTransaction() && !hasTemporaryObjects();
            return alone
                    ? engine.describe(query)
                    : HeldCall.after(turn(true), () -> engine.describe(query, token), (value, failure) -> {});
        });
    }

    @Override
    public EngineCall<ArrowResult> execute(EngineQuery query) {
        return guarded(() -> {
            SessionStatement statement = engine.scan(query.sql()).session();
            if (statement instanceof SessionStatement.Setting) {
                requireOpen();
                return plain.execute(query);
            }
            if (!access.covers(query.access())) {
                throw new EngineException(
                        EngineFailure.FORBIDDEN, "The session has " + access + " access only", "42501", -1, null);
            }
            boolean waits = !(statement instanceof SessionStatement.Rollback);
            return HeldCall.after(turn(waits), () -> engine.execute(query, token), (result, failure) -> {
                note(statement, failure);
                if (result != null) {
                    follow(result);
                }
            });
        });
    }

    @Override
    public EngineCall<ArrowResult> ingest(EngineIngest ingest, IngestFeed feed) {
        return guarded(() -> {
            if (!access.covers(ingest.access())) {
                throw new EngineException(
                        EngineFailure.FORBIDDEN, "The session has " + access + " access only", "42501", -1, null);
            }
            return HeldCall.after(turn(true), () -> engine.ingest(ingest, feed, token), (result, failure) -> {
                if (ingest.target().temporary()) {
                    noteTemporary();
                }
                if (result != null) {
                    follow(result);
                }
            });
        });
    }

    @Override
    public @Nullable EngineCall<ArrowResult> metadata(MetadataRequest request) {
        synchronized (this) {
            boolean ownCatalog = transaction || temporary;
            if (closing || !ownCatalog || !last.isDone()) {
                return null;
            }
        }
        return guarded(() -> HeldCall.after(turn(true), () -> engine.metadata(request, token), (value, failure) -> {}));
    }

    private synchronized void noteTemporary() {
        temporary = true;
    }

    private static <T> EngineCall<T> guarded(Supplier<EngineCall<T>> call) {
        try {
            return call.get();
        } catch (EngineException e) {
            return HeldCall.after(CompletableFuture.failedFuture(e), call, (value, failure) -> {});
        }
    }

    private synchronized void requireOpen() {
        if (closing) {
            throw new EngineException(EngineFailure.CONFLICT, "The session is closed", "08003", -1, null);
        }
    }

    /** The hold, taken now if it was not; fails once the worker has let go. */
    private CompletionStage<Void> held() {
        RemoteHold mine;
        synchronized (this) {
            requireOpen();
            mine = hold;
            if (mine == null || mine.wasRefused()) {
                mine = engine.hold(token, access);
                hold = mine;
                RemoteHold taken = mine;
                taken.stopped().whenComplete((nothing, never) -> letGo(taken));
            }
        }
        boolean lost = mine.isOver() && !mine.wasRefused();
        return lost ? CompletableFuture.failedFuture(RemoteHold.lost()) : mine.held();
    }

    private void letGo(RemoteHold over) {
        if (!over.wasRefused()) {
            closed.complete(null);
        }
    }

    /** When the next statement may be sent. */
    private CompletionStage<Void> turn(boolean waits) {
        CompletableFuture<Void> before;
        synchronized (this) {
            before = last;
        }
        CompletionStage<Void> held = held();
        if (!waits || before.isDone()) {
            return held;
        }
        CompletableFuture<Void> grace = before.copy().completeOnTimeout(null, GRACE_MILLIS, TimeUnit.MILLISECONDS);
        return held.thenCombine(grace, (taken, through) -> taken);
    }

    private synchronized void follow(ArrowResult result) {
        last = result.stopped().toCompletableFuture();
    }

    private synchronized void note(@Nullable SessionStatement statement, @Nullable EngineException failure) {
        if (statement instanceof SessionStatement.Begin) {
            transaction |= failure == null;
        } else if (statement instanceof SessionStatement.Commit || statement instanceof SessionStatement.Rollback) {
            transaction &= failure != null && isUndecided(failure);
        } else if (statement != null) {
            temporary = true;
        }
    }

    /** Whether the transaction is as it was, or nobody knows. */
    private static boolean isUndecided(EngineException failure) {
        return switch (failure.failure()) {
            case CONFLICT -> OPEN_RESULT.equals(failure.sqlState());
            case WRITE_CONFLICT, EXECUTION -> false;
            default -> true;
        };
    }

    @Override
    public EngineCall<Void> begin(boolean readOnly) {
        return control(readOnly ? "BEGIN TRANSACTION READ ONLY" : "BEGIN TRANSACTION");
    }

    @Override
    public EngineCall<Void> commit() {
        return control("COMMIT");
    }

    @Override
    public EngineCall<Void> rollback() {
        return control("ROLLBACK");
    }

    private EngineCall<Void> control(String sql) {
        EngineQuery query =
                new EngineQuery("session " + token, sql, access, settings(), List.of(), EngineQuery.DEFAULT_BATCH_ROWS);
        return new Control(execute(query));
    }

    /** A statement whose result says nothing. */
    private static final class Control implements EngineCall<Void> {

        private final EngineCall<ArrowResult> call;
        private final CompletableFuture<Void> result = new CompletableFuture<>();
        private final CompletableFuture<Void> stopped = new CompletableFuture<>();

        Control(EngineCall<ArrowResult> call) {
            this.call = call;
            call.result().whenComplete((rows, failure) -> {
                CompletionStage<Void> through = call.stopped();
                if (failure == null) {
                    rows.close();
                    through = rows.stopped();
                }
                through.whenComplete((nothing, never) -> {
                    stopped.complete(nothing);
                    if (failure == null) {
                        result.complete(nothing);
                    } else {
                        result.completeExceptionally(failure);
                    }
                });
            });
        }

        @Override
        public CompletionStage<Void> result() {
            return result;
        }

        /** Goes on: whether a transaction was committed is no question to leave open. */
        @Override
        public void cancel() {}

        @Override
        public CompletionStage<Void> stopped() {
            return stopped;
        }
    }

    @Override
    public synchronized boolean inTransaction() {
        return transaction;
    }

    @Override
    public synchronized boolean hasTemporaryObjects() {
        return temporary;
    }

    @Override
    public SessionSettings settings() {
        return plain.settings();
    }

    @Override
    public CompletionStage<Void> closed() {
        return closed;
    }

    @Override
    public void close() {
        RemoteHold mine;
        synchronized (this) {
            if (closing) {
                return;
            }
            closing = true;
            mine = hold;
        }
        if (mine == null) {
            closed.complete(null);
            return;
        }
        mine.cancel();
        mine.stopped().whenComplete((nothing, never) -> closed.complete(nothing));
    }
}
