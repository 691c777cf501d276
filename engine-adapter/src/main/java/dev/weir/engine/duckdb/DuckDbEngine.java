package dev.weir.engine.duckdb;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.weir.engine.Access;
import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.EngineInfo;
import dev.weir.engine.EngineIngest;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.EngineStats;
import dev.weir.engine.IngestFeed;
import dev.weir.engine.MetadataRequest;
import dev.weir.engine.QueryEngine;
import dev.weir.engine.SessionSettings;
import dev.weir.engine.StatementDescription;
import dev.weir.engine.StatementKind;
import dev.weir.engine.StatementScan;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.duckdb.DuckDBConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** DuckDB in this process: one instance, a connection of its own for each query. */
public final class DuckDbEngine implements QueryEngine {

    private static final Logger log = LoggerFactory.getLogger(DuckDbEngine.class);
    private static final int CLOSE_SECONDS = 5;

    private final DuckDBConnection database;
    private final EngineCore core;
    private final EngineInfo info;
    private final FilePaths files;
    private final AtomicLong schemaVersion = new AtomicLong();
    private final Cache<DescriptionKey, StatementDescription> descriptions =
            Caffeine.newBuilder().maximumSize(2_000).build();
    private volatile boolean closed;

    private record DescriptionKey(String sql, Access access, SessionSettings settings) {}

    /** Native work of a call: gives its value, with the scope left as it shall be. */
    @FunctionalInterface
    private interface Work {
        void run() throws Exception;
    }

    private DuckDbEngine(DuckDBConnection database, EngineInfo info, FilePaths files, EngineCore core) {
        this.database = database;
        this.info = info;
        this.files = files;
        this.core = core;
    }

    /**
     * Opens the database, runs the init SQL, makes the views and locks the configuration. Blocks.
     *
     * @throws DuckDbOpenException when that fails; its message says what is wrong
     */
    public static DuckDbEngine open(DuckDbSettings settings) {
        EngineThreads threads = new EngineThreads(settings.maxEngineThreads(), settings.stackBytes());
        CompletableFuture<DuckDBConnection> opened = new CompletableFuture<>();
        CompletableFuture<String> version = new CompletableFuture<>();
        threads.run(() -> {
            try {
                DuckDBConnection connection = new DatabaseOpener(settings).open();
                version.complete(connection.getMetaData().getDatabaseProductVersion());
                opened.complete(connection);
            } catch (Throwable e) {
                opened.completeExceptionally(e);
            }
        });
        try {
            DuckDBConnection database = opened.get();
            EngineInfo info = new EngineInfo("duckdb", version.get(), settings.readOnly());
            BufferAllocator memory = new RootAllocator();
            EngineCore core = new EngineCore(
                    new QueryConnections(database),
                    threads,
                    new Reaper(),
                    memory,
                    ConcurrentHashMap.newKeySet(),
                    new EngineHealth());
            return new DuckDbEngine(database, info, settings.files(), core);
        } catch (ExecutionException e) {
            threads.shutdown();
            if (e.getCause() instanceof DuckDbOpenException refused) {
                throw refused;
            }
            throw new DuckDbOpenException("database", "DuckDB cannot be started: " + e.getCause(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            threads.shutdown();
            throw new DuckDbOpenException("database", "Interrupted while DuckDB was starting", e);
        }
    }

    /**
     * The scan of an engine opened with such settings, for a process that does not open it itself: lexical, no native
     * code is loaded.
     */
    public static Function<String, StatementScan> scanner(DuckDbSettings settings) {
        FilePaths files = settings.files();
        return sql -> StatementScanner.scan(sql, files).scan();
    }

    /** The connection that the others are duplicates of; for tests. */
    DuckDBConnection database() {
        return database;
    }

    @Override
    public EngineInfo info() {
        return info;
    }

    @Override
    public StatementScan scan(String sql) {
        return StatementScanner.scan(sql, files).scan();
    }

    @Override
    public EngineCall<StatementDescription> describe(EngineQuery query) {
        ScannedStatement statement;
        try {
            statement = admit(query);
        } catch (EngineException e) {
            return DuckDbCall.failed(core.reaper(), e);
        }
        DescriptionKey key = new DescriptionKey(statement.text(), query.access(), query.settings());
        StatementDescription known = descriptions.getIfPresent(key);
        if (known != null) {
            return DuckDbCall.completed(core.reaper(), known);
        }
        NativeScope scope = core.newScope();
        DuckDbCall<StatementDescription> call = new DuckDbCall<>(scope);
        StatementDescriber describer = new StatementDescriber(core, scope, query, statement);
        long version = schemaVersion.get();
        return start(call, scope, describer::text, () -> {
            StatementDescriber.Described described = describer.describe();
            if (described.stable() && version == schemaVersion.get()) {
                descriptions.put(key, described.description());
            }
            call.succeed(described.description());
            scope.finish();
        });
    }

    @Override
    public EngineCall<ArrowResult> execute(EngineQuery query) {
        ScannedStatement statement;
        try {
            statement = admit(query);
        } catch (EngineException e) {
            return DuckDbCall.failed(core.reaper(), e);
        }
        NativeScope scope = core.newScope();
        DuckDbCall<ArrowResult> call = new DuckDbCall<>(scope);
        StatementRun run = new StatementRun(core, scope, query, statement);
        return start(call, scope, run::text, () -> execute(call, scope, run));
    }

    private void execute(DuckDbCall<ArrowResult> call, NativeScope scope, StatementRun run) throws Exception {
        ArrowResult result;
        try {
            result = run.execute();
        } finally {
            if (run.mayChangeSchemas()) {
                schemaVersion.incrementAndGet();
                descriptions.invalidateAll();
            }
        }
        if (result instanceof MemoryResult) {
            scope.finish();
        } else {
            scope.leave();
        }
        call.handOver(result, ArrowResult::close);
    }

    @Override
    public boolean takesIngest() {
        return true;
    }

    @Override
    public EngineCall<ArrowResult> ingest(EngineIngest ingest, IngestFeed feed) {
        NativeScope scope = core.newScope();
        DuckDbCall<ArrowResult> call = new DuckDbCall<>(scope);
        IngestRun run = new IngestRun(core, scope, ingest, feed);
        return start(call, scope, SqlText.NONE, () -> {
            run.check();
            ArrowResult result;
            try {
                result = run.execute();
            } finally {
                schemaVersion.incrementAndGet();
                descriptions.invalidateAll();
            }
            scope.finish();
            call.handOver(result, ArrowResult::close);
        });
    }

    /** Refuses what the scan or the access forbids, whatever the caller has checked before. */
    private ScannedStatement admit(EngineQuery query) {
        ScannedStatement statement = StatementScanner.scan(query.sql(), files);
        StatementScan scan = statement.scan();
        if (scan.kind() == StatementKind.SESSION) {
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

    private <T> EngineCall<T> start(DuckDbCall<T> call, NativeScope scope, Supplier<SqlText> text, Work work) {
        boolean aside = text == SqlText.OURS;
        boolean lost = core.health().isLost();
        if (closed || lost) {
            scope.end();
            return DuckDbCall.failed(
                    core.reaper(),
                    ErrorTranslator.unavailable(closed ? "The engine is closed" : "The engine failed; restart it"));
        }
        Runnable task = () -> inside(call, scope, text, work);
        if (!(aside ? core.threads().tryRunAside(task) : core.threads().tryRun(task))) {
            scope.end();
            return DuckDbCall.failed(
                    core.reaper(), ErrorTranslator.unavailable("Every engine thread is busy; try again"));
        }
        if (closed) {
            call.cancel();
        }
        return call;
    }

    private <T> void inside(DuckDbCall<T> call, NativeScope scope, Supplier<SqlText> text, Work work) {
        if (!scope.enter()) {
            return;
        }
        try {
            work.run();
        } catch (Exception | LinkageError | OutOfMemoryError e) {
            call.fail(
                    scope.isEnding()
                            ? ErrorTranslator.cancelled()
                            : core.health().observe(ErrorTranslator.translate(e, text.get())));
            scope.finish();
        }
    }

    @Override
    public EngineCall<ArrowResult> metadata(MetadataRequest request) {
        NativeScope scope = core.newScope();
        DuckDbCall<ArrowResult> call = new DuckDbCall<>(scope);
        return start(call, scope, SqlText.OURS, () -> {
            ArrowResult result = core.catalog(scope, request);
            scope.finish();
            call.handOver(result, ArrowResult::close);
        });
    }

    @Override
    public EngineCall<Void> check() {
        NativeScope scope = core.newScope();
        DuckDbCall<Void> call = new DuckDbCall<>(scope);
        return start(call, scope, SqlText.OURS, () -> {
            try {
                DuckDBConnection connection = core.connections().plain(scope);
                if (!connection.isValid(0)) {
                    throw new SQLException("No answer");
                }
            } catch (SQLException e) {
                throw new EngineException(EngineFailure.UNAVAILABLE, "The engine does not answer", "57P03", -1, e);
            }
            call.succeedWithoutValue();
            scope.finish();
        });
    }

    @Override
    public EngineStats stats() {
        return new EngineStats(
                core.openResults(),
                core.threads().active(),
                core.reaper().unstopped(),
                core.memory().getAllocatedMemory());
    }

    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        CompletableFuture<?>[] stopping = core.open().stream()
                .map(scope -> {
                    scope.cancel();
                    return scope.stopped();
                })
                .toArray(CompletableFuture[]::new);
        try {
            CompletableFuture.allOf(stopping).get(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException | ExecutionException e) {
            log.warn("{} calls did not stop within {} s", core.reaper().unstopped(), CLOSE_SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        core.threads().shutdown();
        core.reaper().close();
        try {
            database.close();
        } catch (SQLException e) {
            log.warn("Closing the database failed", e);
        }
        if (core.memory().getAllocatedMemory() == 0) {
            core.memory().close();
        } else {
            log.warn("{} bytes of results were not given back", core.memory().getAllocatedMemory());
        }
    }
}
