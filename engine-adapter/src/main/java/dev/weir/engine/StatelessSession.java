package dev.weir.engine;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/**
 * The session of an engine whose statements each run on their own, on data that others change, if anyone does.
 *
 * <p>A transaction in it is a form that clients insist on: its reads see no common snapshot. What would need a real one is
 * refused with UNSUPPORTED: changes inside a transaction, since no rollback could undo them, temporary objects, variables.
 */
final class StatelessSession implements EngineSession {

    private static final StatementDescription NO_ROWS =
            new StatementDescription(new Schema(List.of()), new Schema(List.of()));

    private final QueryEngine engine;
    private final Access access;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private boolean transaction;
    private SessionSettings settings = SessionSettings.NONE;

    StatelessSession(QueryEngine engine, Access access) {
        this.engine = engine;
        this.access = access;
    }

    @Override
    public EngineCall<StatementDescription> describe(EngineQuery query) {
        try {
            SessionStatement session = admit(query).session();
            return session == null ? engine.describe(query) : done(NO_ROWS);
        } catch (EngineException e) {
            return new Done<>(CompletableFuture.failedFuture(e));
        }
    }

    @Override
    public EngineCall<ArrowResult> execute(EngineQuery query) {
        try {
            SessionStatement session = admit(query).session();
            if (session instanceof SessionStatement.Begin) {
                return of(this::start, NoRows::new);
            } else if (session instanceof SessionStatement.Setting setting) {
                return set(query, setting);
            } else if (session != null) {
                return of(this::end, NoRows::new);
            }
            synchronized (this) {
                settings = query.settings();
            }
            return engine.execute(query);
        } catch (EngineException e) {
            return new Done<>(CompletableFuture.failedFuture(e));
        }
    }

    private StatementScan admit(EngineQuery query) {
        StatementScan scan = engine.scan(query.sql());
        if (!access.covers(query.access())) {
            throw new EngineException(
                    EngineFailure.FORBIDDEN, "The session has " + access + " access only", "42501", -1, null);
        }
        if (scan.session() instanceof SessionStatement.Temporary) {
            throw unsupported("Temporary objects and variables are not offered: this engine runs each statement on its"
                    + " own, in whichever process is free");
        }
        synchronized (this) {
            requireOpen();
            if (transaction && scan.session() == null && !scan.kind().isRead()) {
                throw unsupported("Changes inside a transaction are not offered: this engine runs each statement on its"
                        + " own and could not undo them");
            }
        }
        return scan;
    }

    private static EngineException unsupported(String message) {
        return new EngineException(EngineFailure.UNSUPPORTED, message, "0A000", -1, null);
    }

    private static EngineException conflict(String message, String sqlState) {
        return new EngineException(EngineFailure.CONFLICT, message, sqlState, -1, null);
    }

    private void requireOpen() {
        if (closed.isDone()) {
            throw conflict("The session is closed", "08003");
        }
    }

    private synchronized void start() {
        requireOpen();
        if (transaction) {
            throw conflict("There is a transaction already; end it first", "25001");
        }
        transaction = true;
    }

    private synchronized void end() {
        requireOpen();
        if (!transaction) {
            throw conflict("There is no transaction", "25P01");
        }
        transaction = false;
    }

    /** A name alone is a schema's, or else a catalog's; what cannot be described under it is neither. */
    private EngineCall<ArrowResult> set(EngineQuery query, SessionStatement.Setting setting) {
        SessionSettings now = query.settings();
        List<String> value = setting.value();
        if (setting.name() == SessionStatement.Setting.Name.TIME_ZONE) {
            String zone = value.isEmpty() ? null : value.get(0);
            return take(query, new SessionSettings(now.catalog(), now.schema(), zone), null);
        }
        if (value.size() != 1) {
            String catalog = value.isEmpty() ? null : value.get(0);
            String schema = value.isEmpty() ? null : value.get(1);
            return take(query, new SessionSettings(catalog, schema, now.timeZone()), null);
        }
        return take(
                query,
                new SessionSettings(now.catalog(), value.get(0), now.timeZone()),
                new SessionSettings(value.get(0), null, now.timeZone()));
    }

    private EngineCall<ArrowResult> take(
            EngineQuery query, SessionSettings wanted, @Nullable SessionSettings otherwise) {
        EngineCall<StatementDescription> tried = engine.describe(new EngineQuery(
                query.queryId(), "SELECT 1", query.access(), wanted, List.of(), query.batchRows(), query.context()));
        CompletableFuture<ArrowResult> result = new CompletableFuture<>();
        tried.result().whenComplete((description, failure) -> {
            if (failure == null) {
                synchronized (this) {
                    settings = wanted;
                }
                result.complete(new NoRows());
            } else if (otherwise == null) {
                result.completeExceptionally(failure);
            } else {
                take(query, otherwise, null).result().whenComplete((done, again) -> {
                    if (again == null) {
                        result.complete(Objects.requireNonNull(done));
                    } else {
                        result.completeExceptionally(failure);
                    }
                });
            }
        });
        return new Done<>(result);
    }

    @Override
    public EngineCall<Void> begin(boolean readOnly) {
        return of(this::start, StatelessSession::none);
    }

    @Override
    public EngineCall<Void> commit() {
        return of(this::end, StatelessSession::none);
    }

    @Override
    public EngineCall<Void> rollback() {
        return of(this::end, StatelessSession::none);
    }

    private static <T> EngineCall<T> of(Runnable change, Supplier<T> value) {
        try {
            change.run();
            return done(value.get());
        } catch (EngineException e) {
            return new Done<>(CompletableFuture.failedFuture(e));
        }
    }

    @SuppressWarnings("NullAway") // A CompletionStage<Void> completes with null.
    private static Void none() {
        return null;
    }

    @Override
    public synchronized boolean inTransaction() {
        return transaction;
    }

    @Override
    public boolean hasTemporaryObjects() {
        return false;
    }

    @Override
    public synchronized SessionSettings settings() {
        return settings;
    }

    @Override
    public CompletionStage<Void> closed() {
        return closed;
    }

    /** Nothing is held; what runs is cancelled by its own call. */
    @Override
    public synchronized void close() {
        transaction = false;
        closed.complete(none());
    }

    private static <T> EngineCall<T> done(T value) {
        return new Done<>(CompletableFuture.completedFuture(value));
    }

    /** A call that needs no engine, or waits for one that nobody need cancel. */
    private record Done<T>(CompletableFuture<T> result) implements EngineCall<T> {

        @Override
        public void cancel() {
            result.completeExceptionally(
                    new EngineException(EngineFailure.CANCELLED, "The query was cancelled", "57014", -1, null));
        }

        @Override
        public CompletionStage<Void> stopped() {
            return result.handle((value, failure) -> none());
        }
    }
}
