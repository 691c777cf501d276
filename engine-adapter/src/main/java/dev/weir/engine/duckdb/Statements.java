package dev.weir.engine.duckdb;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.weir.engine.Access;
import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.QueryContext;
import dev.weir.engine.SessionSettings;
import dev.weir.engine.StatementDescription;
import dev.weir.engine.StatementScan;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Starts the native work of calls, of the engine's own and of its sessions', and knows what statements describe as. */
final class Statements {

    private final EngineCore core;
    private final FilePaths files;
    private final MemoryShare memory;
    private final AtomicLong schemaVersion = new AtomicLong();
    private final Cache<DescriptionKey, StatementDescription> descriptions =
            Caffeine.newBuilder().maximumSize(2_000).build();
    private volatile boolean closed;

    private record DescriptionKey(String sql, Access access, SessionSettings settings) {}

    /** Native work of a call: gives its value, with the scope left as it shall be. */
    @FunctionalInterface
    interface Work {
        void run() throws Exception;
    }

    Statements(EngineCore core, FilePaths files, MemoryShare memory) {
        this.core = core;
        this.files = files;
        this.memory = memory;
    }

    StatementScan scan(String sql) {
        return StatementScanner.scan(sql, files).scan();
    }

    /**
     * Refuses what the scan or the access forbids, whatever the caller has checked before.
     *
     * @param inSession whether statements that need a session may pass
     */
    ScannedStatement admit(EngineQuery query, boolean inSession) {
        ScannedStatement statement = StatementScanner.scan(query.sql(), files);
        StatementScan scan = statement.scan();
        if (scan.session() != null && !inSession) {
            throw new EngineException(EngineFailure.UNSUPPORTED, "The statement needs a session", "0A000", -1, null);
        }
        if (!query.access().covers(scan.needs())) {
            throw new EngineException(
                    EngineFailure.FORBIDDEN,
                    "The statement needs " + scan.needs() + " access, the caller has " + query.access(),
                    "42501",
                    -1,
                    null);
        }
        return statement;
    }

    /** What is known of a statement on a connection without a transaction or objects of its own; null for nothing. */
    @Nullable
    StatementDescription known(EngineQuery query, ScannedStatement statement) {
        return descriptions.getIfPresent(key(query, statement));
    }

    private static DescriptionKey key(EngineQuery query, ScannedStatement statement) {
        return new DescriptionKey(statement.text(), query.access(), query.settings());
    }

    /** Describes on a fresh connection, and remembers the answer. */
    DuckDbCall<StatementDescription> describe(EngineQuery query, ScannedStatement statement) {
        ConstantConnections.Loan loan = core.constants().lend(query, statement);
        NativeScope scope = loan == null ? core.newScope() : core.newScope(loan);
        DuckDbCall<StatementDescription> call = new DuckDbCall<>(scope);
        StatementDescriber describer =
                new StatementDescriber(loan == null ? core.connections() : loan, scope, query, statement);
        long version = schemaVersion.get();
        return start(call, scope, describer::text, () -> {
            fit(QueryContext.NONE);
            StatementDescriber.Described described = describer.describe();
            if (described.stable() && version == schemaVersion.get()) {
                descriptions.put(key(query, statement), described.description());
            }
            call.succeed(described.description());
            scope.finish();
        });
    }

    /** Gives the instance the memory that the next query was promised, where its limit follows them. */
    void fit(QueryContext query) throws SQLException {
        memory.fit(query);
    }

    /** Runs on the thread inside the scope, up to the open result. */
    void execute(DuckDbCall<ArrowResult> call, NativeScope scope, StatementRun run) throws Exception {
        ArrowResult result;
        try {
            result = run.execute();
        } finally {
            if (run.mayChangeSchemas()) {
                schemasChanged();
            }
        }
        if (result instanceof MemoryResult) {
            scope.finish();
        } else {
            scope.leave();
        }
        call.handOver(result, ArrowResult::close);
    }

    /** Loads rows on the thread inside the scope. */
    void ingest(DuckDbCall<ArrowResult> call, NativeScope scope, IngestRun run) throws Exception {
        ArrowResult result;
        try {
            result = run.execute();
        } finally {
            schemasChanged();
        }
        scope.finish();
        call.handOver(result, ArrowResult::close);
    }

    /** What was described before may be wrong from now on. */
    void schemasChanged() {
        schemaVersion.incrementAndGet();
        descriptions.invalidateAll();
    }

    /** @param text what DuckDB was given last, asked for when it fails */
    <T> DuckDbCall<T> start(DuckDbCall<T> call, NativeScope scope, Supplier<SqlText> text, Work work) {
        boolean aside = text == SqlText.OURS;
        boolean lost = core.health().isLost();
        if (closed || lost) {
            return refuse(call, scope, closed ? "The engine is closed" : "The engine failed; restart it");
        }
        Runnable task = () -> inside(call, scope, text, work);
        if (!(aside ? core.threads().tryRunAside(task) : core.threads().tryRun(task))) {
            return refuse(call, scope, "Every engine thread is busy; try again");
        }
        if (closed) {
            call.cancel();
        }
        return call;
    }

    /** Starts once a call before has left the connection; at once without one. */
    <T> DuckDbCall<T> startAfter(
            @Nullable CompletableFuture<Void> before,
            DuckDbCall<T> call,
            NativeScope scope,
            Supplier<SqlText> text,
            Work work) {
        if (before == null) {
            return start(call, scope, text, work);
        }
        before.whenComplete((nothing, none) -> start(call, scope, text, work));
        return call;
    }

    private static <T> DuckDbCall<T> refuse(DuckDbCall<T> call, NativeScope scope, String why) {
        call.fail(ErrorTranslator.unavailable(why));
        scope.end();
        return call;
    }

    private <T> void inside(DuckDbCall<T> call, NativeScope scope, Supplier<SqlText> text, Work work) {
        if (!scope.enter()) {
            call.fail(ErrorTranslator.cancelled());
            return;
        }
        try {
            work.run();
        } catch (Exception | LinkageError | OutOfMemoryError e) {
            call.fail(
                    scope.isEnding()
                            ? ErrorTranslator.cancelled()
                            : core.health().observe(ErrorTranslator.translate(e, text.get())));
            scope.fail();
        }
    }

    boolean isClosed() {
        return closed;
    }

    /** Takes no more statements. */
    void close() {
        closed = true;
    }
}
