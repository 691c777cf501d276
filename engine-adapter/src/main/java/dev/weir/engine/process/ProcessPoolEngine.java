package dev.weir.engine.process;

import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineCapacity;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.EngineInfo;
import dev.weir.engine.EngineNode;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.StatementKind;
import dev.weir.engine.StatementScan;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
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
public final class ProcessPoolEngine extends ChildEngine {

    /** How long a cancelled query may take to stop before its process is ended. */
    private static final long STUCK_MILLIS = 2_000;

    private final boolean files;
    private final EngineCapacity capacity;
    private final long usualBytes;
    private final ChildPool pool;
    private final SharedChild shared;

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
        super(info, scanner, parts.factory(), parts.timers(), parts.limitName(), STUCK_MILLIS);
        this.files = files;
        PoolSize size = parts.size();
        this.usualBytes = size.request().memoryBytes();
        this.capacity = new EngineCapacity(size.slots(), Math.multiplyExact(size.slots(), usualBytes), true, true);
        this.pool = new ChildPool(size, parts.factory(), parts.version(), parts.timers());
        this.shared = new SharedChild(pool, parts.version(), parts.timers());
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
    CompletableFuture<Lease> leaseForQuestion() {
        return shared.lease();
    }

    @Override
    public EngineCall<ArrowResult> execute(EngineQuery query) {
        try {
            refuseWrites(query);
        } catch (EngineException e) {
            return LeasedCall.failed(terms, e);
        }
        long bytes = query.context().memoryBytes();
        // Short queries have all of a usual process; one that was promised more has that, too.
        boolean small = query.context().shortQuery() && bytes <= usualBytes;
        Supplier<CompletableFuture<Lease>> leases = small
                ? () -> pool.hasRoomForShort() ? pool.borrow(Use.SHORT, 0) : shared.lease()
                : () -> pool.borrow(Use.QUERY, bytes);
        // One that was promised less has more around it than DuckDB's limit for it.
        boolean again = bytes == 0 || bytes >= usualBytes;
        return ReadCall.start(
                () -> LeasedCall.startRead(terms, leases, engine -> engine.execute(query)),
                again
                        ? () -> LeasedCall.startRead(
                                terms, () -> pool.borrowNew(bytes), engine -> engine.execute(query))
                        : null);
    }

    /** A table made in the memory of one process would be gone for the next query. */
    private void refuseWrites(EngineQuery query) {
        StatementKind kind = scan(query.sql()).kind();
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
    Iterable<Child> children() {
        return pool.children();
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
    void stopLending() {
        shared.close();
        pool.close();
    }
}
