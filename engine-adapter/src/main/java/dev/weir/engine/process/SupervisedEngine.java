package dev.weir.engine.process;

import dev.weir.engine.Access;
import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineInfo;
import dev.weir.engine.EngineIngest;
import dev.weir.engine.EngineMemory;
import dev.weir.engine.EngineNode;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.EngineSession;
import dev.weir.engine.IngestFeed;
import dev.weir.engine.StatementScan;
import dev.weir.engine.duckdb.DuckDbEngine;
import dev.weir.engine.duckdb.DuckDbSettings;
import dev.weir.engine.worker.WorkerSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs all queries in one child process, which owns the database: a crash of the native code, or the kernel's killer,
 * ends that process and not the gateway. Its queries fail with LOST then, the process is started anew, and the database
 * replays its log; statements that come meanwhile wait a bounded time and then fail with UNAVAILABLE.
 */
public final class SupervisedEngine extends ChildEngine {

    private static final Logger log = LoggerFactory.getLogger(SupervisedEngine.class);

    /** A restart takes about a second, and as long as the log takes to be replayed. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private static final long STUCK_MILLIS = 5_000;

    /** A log of gigabytes may have to be replayed. */
    private static final int START_SECONDS = 600;

    private final Supervisor supervisor;

    /** They outlive children, and end with the engine. */
    private final Set<SupervisedSession> sessions = ConcurrentHashMap.newKeySet();

    /** @param supervisor that has started its first child already */
    SupervisedEngine(
            EngineInfo info,
            Function<String, StatementScan> scanner,
            ChildFactory factory,
            Supervisor supervisor,
            ScheduledExecutorService timers) {
        super(info, scanner, factory, timers, null, STUCK_MILLIS);
        this.supervisor = supervisor;
    }

    /**
     * Starts the process; returns when the database is open.
     *
     * @throws ChildStartException when it cannot be opened; its message says what is wrong
     */
    public static SupervisedEngine open(SupervisedSettings settings) {
        ScheduledExecutorService timers = Timers.create();
        DuckDbSettings engine = settings.engine();
        try {
            Path base = settings.directory().toAbsolutePath().normalize();
            ChildLauncher.Plan plan = new ChildLauncher.Plan(
                    engine,
                    ChildHome.prepare(base),
                    Directories.ofThisProcess(base),
                    "database",
                    settings.heapBytes(),
                    engine.stackBytes(),
                    WorkerSettings.DEFAULT_WINDOW_BYTES,
                    false,
                    false,
                    null);
            ChildFactory factory = new ChildLauncher(plan, MemoryFence.none("engine"), timers);
            ChildRequest request = new ChildRequest(
                    engine.memoryLimitBytes(), engine.threads(), engine.maxEngineThreads(), FileVersion.NONE);
            Supervisor supervisor = new Supervisor(factory, request, PATIENCE, timers, System::nanoTime);
            Child first = ChildEngine.await(supervisor.open(), START_SECONDS);
            log.info("The database is open in a process of its own (process {})", first.pid());
            return new SupervisedEngine(
                    first.engine().info(), DuckDbEngine.scanner(engine), factory, supervisor, timers);
        } catch (IOException e) {
            timers.shutdown();
            throw new ChildStartException("directory", "The directory of the process cannot be made: " + e, e);
        } catch (RuntimeException e) {
            timers.shutdown();
            throw e;
        }
    }

    @Override
    CompletableFuture<Lease> leaseForQuestion() {
        return supervisor.lease();
    }

    @Override
    public EngineCall<ArrowResult> execute(EngineQuery query) {
        return LeasedCall.start(terms, supervisor::lease, engine -> engine.execute(query));
    }

    @Override
    public boolean takesIngest() {
        return true;
    }

    @Override
    public EngineCall<ArrowResult> ingest(EngineIngest ingest, IngestFeed feed) {
        return LeasedCall.start(terms, supervisor::lease, engine -> engine.ingest(ingest, feed));
    }

    /** A session in the child; it is lost with it. */
    @Override
    public EngineSession openSession(Access access) {
        SupervisedSession session = new SupervisedSession(terms, supervisor::lease, access);
        sessions.add(session);
        session.closed().whenComplete((nothing, never) -> sessions.remove(session));
        return session;
    }

    @Override
    public boolean hasTransactions() {
        return true;
    }

    @Override
    public CompletionStage<EngineMemory> memory() {
        return supervisor
                .child()
                .map(child -> child.engine().memory())
                .orElseGet(() -> CompletableFuture.completedFuture(EngineMemory.UNKNOWN));
    }

    @Override
    Iterable<Child> children() {
        return supervisor.child().map(List::of).orElse(List.of());
    }

    @Override
    public List<EngineNode> nodes() {
        return List.of(supervisor.node());
    }

    @Override
    void stopLending() {
        sessions.forEach(SupervisedSession::close);
        supervisor.close();
    }
}
