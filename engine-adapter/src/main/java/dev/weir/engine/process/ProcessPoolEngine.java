package dev.weir.engine.process;

import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineCapacity;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.EngineInfo;
import dev.weir.engine.EngineNode;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.EngineStats;
import dev.weir.engine.MetadataRequest;
import dev.weir.engine.QueryEngine;
import dev.weir.engine.StatementDescription;
import dev.weir.engine.StatementKind;
import dev.weir.engine.StatementScan;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Runs each query in a process of its own, taken from a pool of warm ones: with DuckDB's limits for that query alone,
 * and where the operating system offers one, a hard limit around the process. What a query does to its process touches
 * no other query. Describing, catalog questions and short queries that find no room share one more process.
 *
 * <p>The data is read-only. When another file is put under the database's name (by renaming it there), queries that
 * start from then on see that one; those that run end on the old one.
 */
public final class ProcessPoolEngine implements QueryEngine {

    /** How long a cancelled query may take to stop before its process is ended. */
    private static final long STUCK_MILLIS = 2_000;

    private final EngineInfo info;
    private final Function<String, StatementScan> scanner;
    private final boolean files;
    private final EngineCapacity capacity;
    private final ChildFactory factory;
    private final ChildPool pool;
    private final SharedChild shared;
    private final ScheduledExecutorService timers;
    private final LeasedCall.Terms terms;
    private volatile boolean closed;

    /** What {@link PoolStart} makes. */
    record Parts(
            ChildFactory factory,
            PoolSize size,
            Supplier<FileVersion> version,
            ScheduledExecutorService timers,
            String limitName) {}

    /**
     * @param info what the children run
     * @param scanner classifies texts here
     * @param files whether there is no database, only files
     */
    ProcessPoolEngine(EngineInfo info, Function<String, StatementScan> scanner, boolean files, Parts parts) {
        this.info = info;
        this.scanner = scanner;
        this.files = files;
        PoolSize size = parts.size();
        this.capacity = new EngineCapacity(
                size.slots(), Math.multiplyExact(size.slots(), size.request().memoryBytes()));
        this.factory = parts.factory();
        this.timers = parts.timers();
        this.pool = new ChildPool(size, factory, parts.version(), timers);
        this.shared = new SharedChild(pool, parts.version(), timers);
        this.terms = new LeasedCall.Terms(new ChildFailures(parts.limitName()), timers, STUCK_MILLIS);
        pool.open();
    }

    /**
     * Starts the processes; returns when the first of them answers.
     *
     * @throws ChildStartException when none can be started; its message says what is wrong
     */
    public static ProcessPoolEngine open(PoolSettings settings) {
        return new PoolStart(settings).open();
    }

    @Override
    public EngineInfo info() {
        return info;
    }

    @Override
    public StatementScan scan(String sql) {
        return scanner.apply(sql);
    }

    @Override
    public EngineCall<StatementDescription> describe(EngineQuery query) {
        return LeasedCall.start(terms, shared::lease, engine -> engine.describe(query));
    }

    @Override
    public EngineCall<ArrowResult> execute(EngineQuery query) {
        try {
            refuseWrites(query);
        } catch (EngineException e) {
            return LeasedCall.failed(terms, e);
        }
        long bytes = query.context().memoryBytes();
        Supplier<CompletableFuture<Lease>> leases = query.context().shortQuery()
                ? () -> pool.hasRoomForShort() ? pool.borrow(Use.SHORT, 0) : shared.lease()
                : () -> pool.borrow(Use.QUERY, bytes);
        return LeasedCall.startRead(terms, leases, engine -> engine.execute(query));
    }

    /** A table made in the memory of one process would be gone for the next query. */
    private void refuseWrites(EngineQuery query) {
        StatementKind kind = scanner.apply(query.sql()).kind();
        if (files && (kind == StatementKind.DML || kind == StatementKind.DDL)) {
            throw new EngineException(
                    EngineFailure.FORBIDDEN,
                    "The statement changes data, and the data here is read-only",
                    "42501",
                    -1,
                    null);
        }
    }

    @Override
    public EngineCall<ArrowResult> metadata(MetadataRequest request) {
        return LeasedCall.start(terms, shared::lease, engine -> engine.metadata(request));
    }

    @Override
    public EngineCall<Void> check() {
        return LeasedCall.start(terms, shared::lease, QueryEngine::check);
    }

    @Override
    public EngineStats stats() {
        return sum(pool.children());
    }

    static EngineStats sum(Iterable<Child> children) {
        EngineStats sum = new EngineStats(0, 0, 0, 0);
        for (Child child : children) {
            EngineStats one = child.engine().stats();
            sum = new EngineStats(
                    sum.openResults() + one.openResults(),
                    sum.activeCalls() + one.activeCalls(),
                    sum.unstopped() + one.unstopped(),
                    sum.arrowBytes() + one.arrowBytes());
        }
        return sum;
    }

    @Override
    public EngineCapacity capacity() {
        return capacity;
    }

    @Override
    public List<EngineNode> nodes() {
        return pool.nodes();
    }

    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        shared.close();
        pool.close();
        factory.close();
        timers.shutdown();
    }

    /** Waits for a stage of the start. */
    static <T> T await(CompletableFuture<T> stage, int seconds) {
        try {
            return stage.get(seconds, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof ChildStartException refused) {
                throw refused;
            }
            throw new ChildStartException("isolation", "A process cannot be started: " + e.getCause(), e);
        } catch (TimeoutException e) {
            throw new ChildStartException("isolation", "No process became ready within " + seconds + " s", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ChildStartException("isolation", "Interrupted while processes were starting", e);
        }
    }
}
