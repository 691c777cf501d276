package dev.weir.engine.process;

import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineInfo;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.EngineStats;
import dev.weir.engine.MetadataRequest;
import dev.weir.engine.QueryEngine;
import dev.weir.engine.StatementDescription;
import dev.weir.engine.StatementScan;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What engines over child processes have in common: scanning here, calling there, and an end that ends all children. */
abstract class ChildEngine implements QueryEngine {

    private final EngineInfo info;
    private final Function<String, StatementScan> scanner;
    private final ChildFactory factory;
    private final ScheduledExecutorService timers;
    final LeasedCall.Terms terms;
    private boolean closed;

    /**
     * @param scanner classifies texts here
     * @param factory closed at the end, and its children with it
     * @param timers shut down at the end
     * @param limitName the property that sets a query's memory; null when it has none of its own
     * @param stuckMillis how long a cancelled call may take to stop before that is told
     */
    ChildEngine(
            EngineInfo info,
            Function<String, StatementScan> scanner,
            ChildFactory factory,
            ScheduledExecutorService timers,
            @Nullable String limitName,
            long stuckMillis) {
        this.info = info;
        this.scanner = scanner;
        this.factory = factory;
        this.timers = timers;
        this.terms = new LeasedCall.Terms(new ChildFailures(limitName), timers, stuckMillis);
    }

    /** A child for what is small: describing, catalog questions, checks. */
    abstract CompletableFuture<Lease> leaseForQuestion();

    abstract Iterable<Child> children();

    /** Lends no child any more. Called once. */
    abstract void stopLending();

    @Override
    public final EngineInfo info() {
        return info;
    }

    @Override
    public final StatementScan scan(String sql) {
        return scanner.apply(sql);
    }

    @Override
    public final EngineCall<StatementDescription> describe(EngineQuery query) {
        return LeasedCall.start(terms, this::leaseForQuestion, engine -> engine.describe(query));
    }

    @Override
    public final EngineCall<ArrowResult> metadata(MetadataRequest request) {
        return LeasedCall.start(terms, this::leaseForQuestion, engine -> engine.metadata(request));
    }

    @Override
    public final EngineCall<Void> check() {
        return LeasedCall.start(terms, this::leaseForQuestion, QueryEngine::check);
    }

    @Override
    public final EngineStats stats() {
        EngineStats sum = new EngineStats(0, 0, 0, 0);
        for (Child child : children()) {
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
    public final void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        stopLending();
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
