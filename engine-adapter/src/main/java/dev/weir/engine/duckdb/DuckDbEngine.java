package dev.weir.engine.duckdb;

import dev.weir.engine.Access;
import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.EngineInfo;
import dev.weir.engine.EngineIngest;
import dev.weir.engine.EngineMemory;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.EngineSession;
import dev.weir.engine.EngineStats;
import dev.weir.engine.IngestFeed;
import dev.weir.engine.MetadataRequest;
import dev.weir.engine.QueryContext;
import dev.weir.engine.QueryEngine;
import dev.weir.engine.StatementDescription;
import dev.weir.engine.StatementScan;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.duckdb.DuckDBConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** DuckDB in this process: one instance, a connection of its own for each query. */
public final class DuckDbEngine implements QueryEngine {

    private static final Logger log = LoggerFactory.getLogger(DuckDbEngine.class);
    private static final int CLOSE_SECONDS = 5;
    private static final String MEMORY = "SELECT coalesce(sum(memory_usage_bytes), 0)::BIGINT,"
            + " coalesce(sum(temporary_storage_bytes), 0)::BIGINT FROM duckdb_memory()";

    private final DuckDBConnection database;
    private final EngineCore core;
    private final EngineInfo info;
    private final Statements statements;
    private final AtomicBoolean closed = new AtomicBoolean();

    private DuckDbEngine(DuckDBConnection database, EngineInfo info, DuckDbSettings settings, EngineCore core) {
        this.database = database;
        this.info = info;
        this.core = core;
        this.statements = new Statements(core, settings.files(), new MemoryShare(database, settings));
    }

    /**
     * Opens the database, runs the init SQL, makes the views and locks the configuration. Blocks.
     *
     * @throws DuckDbOpenException when that fails; its message says what is wrong
     */
    public static DuckDbEngine open(DuckDbSettings settings) {
        EngineThreads threads = new EngineThreads(settings.maxEngineThreads(), settings.stackBytes());
        CompletableFuture<DatabaseOpener.Opened> opened = new CompletableFuture<>();
        CompletableFuture<String> version = new CompletableFuture<>();
        threads.run(() -> {
            try {
                DatabaseOpener.Opened database = new DatabaseOpener(settings).open();
                version.complete(database.connections().getMetaData().getDatabaseProductVersion());
                opened.complete(database);
            } catch (Throwable e) {
                opened.completeExceptionally(e);
            }
        });
        try {
            DuckDBConnection database = opened.get().connections();
            EngineInfo info = new EngineInfo("duckdb", version.get(), settings.readOnly());
            BufferAllocator memory = new RootAllocator();
            EngineCore core = new EngineCore(
                    new QueryConnections(database),
                    new ConstantConnections(opened.get().constants()),
                    threads,
                    new Reaper(),
                    memory,
                    ConcurrentHashMap.newKeySet(),
                    ConcurrentHashMap.newKeySet(),
                    new EngineHealth());
            return new DuckDbEngine(database, info, settings, core);
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
        return statements.scan(sql);
    }

    @Override
    public EngineCall<StatementDescription> describe(EngineQuery query) {
        try {
            ScannedStatement statement = statements.admit(query, false);
            StatementDescription known = statements.known(query, statement);
            return known == null ? statements.describe(query, statement) : DuckDbCall.completed(core.reaper(), known);
        } catch (EngineException e) {
            return DuckDbCall.failed(core.reaper(), e);
        }
    }

    @Override
    public EngineCall<ArrowResult> execute(EngineQuery query) {
        ScannedStatement statement;
        try {
            statement = statements.admit(query, false);
        } catch (EngineException e) {
            return DuckDbCall.failed(core.reaper(), e);
        }
        ConstantConnections.Loan loan = core.constants().lend(query, statement);
        NativeScope scope = loan == null ? core.newScope() : core.newScope(loan);
        DuckDbCall<ArrowResult> call = new DuckDbCall<>(scope);
        StatementRun run = new StatementRun(core, loan == null ? core.connections() : loan, scope, query, statement);
        return statements.start(call, scope, run::text, () -> {
            statements.fit(query.context());
            statements.execute(call, scope, run);
        });
    }

    @Override
    public boolean takesIngest() {
        return true;
    }

    @Override
    public EngineCall<ArrowResult> ingest(EngineIngest ingest, IngestFeed feed) {
        NativeScope scope = core.newScope();
        DuckDbCall<ArrowResult> call = new DuckDbCall<>(scope);
        IngestRun run = new IngestRun(core, core.connections(), scope, ingest, feed);
        return statements.start(call, scope, SqlText.NONE, () -> {
            run.requireLasting();
            statements.ingest(call, scope, run);
        });
    }

    @Override
    public EngineSession openSession(Access access) {
        DuckDbSession session = new DuckDbSession(core, statements, access);
        if (statements.isClosed()) {
            session.close();
        }
        return session;
    }

    @Override
    public boolean hasTransactions() {
        return true;
    }

    @Override
    public EngineCall<ArrowResult> metadata(MetadataRequest request) {
        NativeScope scope = core.newScope();
        DuckDbCall<ArrowResult> call = new DuckDbCall<>(scope);
        return statements.start(call, scope, SqlText.OURS, () -> {
            statements.fit(QueryContext.NONE);
            ArrowResult result = core.catalog(core.connections().plain(scope), request);
            scope.finish();
            call.handOver(result, ArrowResult::close);
        });
    }

    @Override
    public EngineCall<Void> check() {
        NativeScope scope = core.newScope();
        DuckDbCall<Void> call = new DuckDbCall<>(scope);
        return statements.start(call, scope, SqlText.OURS, () -> {
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
    public CompletionStage<EngineMemory> memory() {
        NativeScope scope = core.newScope();
        DuckDbCall<EngineMemory> call = new DuckDbCall<>(scope);
        return statements
                .start(call, scope, SqlText.OURS, () -> {
                    EngineMemory held;
                    try (Statement statement = core.connections().plain(scope).createStatement();
                            ResultSet sums = statement.executeQuery(MEMORY)) {
                        sums.next();
                        held = new EngineMemory(sums.getLong(1), sums.getLong(2));
                    } catch (SQLException e) {
                        log.debug("DuckDB does not tell its memory", e);
                        held = EngineMemory.UNKNOWN;
                    }
                    call.succeed(held);
                    scope.finish();
                })
                .result()
                .exceptionally(failure -> EngineMemory.UNKNOWN);
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
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        statements.close();
        List<CompletableFuture<Void>> ends = new ArrayList<>();
        for (DuckDbSession session : core.sessions()) {
            session.close();
            ends.add(session.closed());
        }
        for (NativeScope scope : core.open()) {
            scope.cancel();
            ends.add(scope.stopped());
        }
        CompletableFuture<?>[] stopping = ends.toArray(CompletableFuture[]::new);
        try {
            CompletableFuture.allOf(stopping).get(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException | ExecutionException e) {
            log.warn("{} calls did not stop within {} s", core.reaper().unstopped(), CLOSE_SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        core.threads().shutdown();
        core.reaper().close();
        core.constants().close();
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
