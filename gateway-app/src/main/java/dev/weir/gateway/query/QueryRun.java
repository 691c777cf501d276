package dev.weir.gateway.query;

import dev.weir.admission.RunPermit;
import dev.weir.admission.WaitInfo;
import dev.weir.auth.Identity;
import dev.weir.engine.Access;
import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineCall;
import dev.weir.engine.StatementScan;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One query from submit to its end. Owns the permit and the result and gives each back once.
 *
 * <p>How it ends is decided by one CAS on {@link #ending}; everyone who wants it to stop competes there. The winner
 * only pokes what is under way (waiter, engine call, stream). The query settles (permit back, terminal state, listeners)
 * when the thing under way has really stopped, called from exactly one place per phase: CANCELLED means an idle engine.
 */
final class QueryRun implements QueryExecution, RunStream.Owner, ReaderWatch.Host, RunPlace.Host {

    private final RunRecord record;
    private final QueryLimits.Clocks limits;
    private final RunServices services;

    private final AtomicReference<QueryState> state = new AtomicReference<>(QueryState.QUEUED);
    private final AtomicReference<@Nullable Ending> ending = new AtomicReference<>();
    private final AtomicBoolean settled = new AtomicBoolean();
    private final CompletableFuture<ResultStream> stream = new CompletableFuture<>();
    private final CompletableFuture<QuerySnapshot> done = new CompletableFuture<>();

    private final RunPlace place;
    private final StatementClock clock;
    private volatile Access access = Access.READ;
    private volatile @Nullable EngineCall<ArrowResult> call;
    private volatile @Nullable ArrowResult result;
    private volatile @Nullable RunStream opened;

    /** Where the stream waits for a result in the place of one that failed for memory; null until it does. */
    private volatile @Nullable CompletableFuture<ArrowResult> reopened;

    private volatile @Nullable ReaderWatch watch;

    /** Counts the results that one query had; the engine is idle when it is so for the last. */
    private final AtomicInteger attempt = new AtomicInteger();

    private final AtomicInteger idle = new AtomicInteger(-1);

    QueryRun(String id, Identity identity, QueryRequest request, QueryLimits.Clocks limits, RunServices services) {
        this.record = new RunRecord(
                id,
                identity,
                request,
                services.clock().instant(),
                services.timers().nanoTime());
        this.limits = limits;
        this.services = services;
        this.place = new RunPlace(this, services);
        this.clock = new StatementClock(
                services.timers(),
                request.statementTimeout().orElse(limits.statementTimeout()),
                allowed -> end(Ending.failed(Failures.statementTimeout(id, allowed))));
    }

    /** When it got its permit, on the service's clock; null while it has none, and when it is about to end. */
    @Nullable
    Long runningSince() {
        return place.permit() == null || ending.get() != null ? null : Long.valueOf(record.admittedNanos);
    }

    RunRecord record() {
        return record;
    }

    Identity identity() {
        return record.identity;
    }

    /** Scans, checks and asks for admission; the rest follows from callbacks. Never throws. */
    void start(Access permitted) {
        access = permitted;
        try {
            StatementScan found = services.scan(record.request);
            record.scan = found;
            RequestChecks.check(record.identity, permitted, found, record.request, limits, services.isSession());
            place.waitFor(services.admission().admit(record.admissionRequest(found, limits)));
        } catch (RuntimeException e) {
            end(Ending.failed(Failures.of(e, id(), true)));
            settle();
        }
    }

    @Override
    public void notGranted(Throwable why) {
        // A waiter that was cancelled was so by the ending that is decided already.
        if (ending.get() == null) {
            end(Ending.failed(Failures.of(why, id(), true, inForce())));
        }
        settle();
    }

    private Refusals.InForce inForce() {
        return Refusals.InForce.of(services.limits(), record.identity.groups());
    }

    @Override
    public void granted(RunPermit granted) {
        record.admittedNanos = services.timers().nanoTime();
        if (ending.get() != null || !state.compareAndSet(QueryState.QUEUED, QueryState.RUNNING)) {
            settle();
            return;
        }
        EngineCall<ArrowResult> started;
        try {
            started = services.start(record, access, granted, clock.start());
        } catch (RuntimeException e) {
            notOpened(CompletableFuture.completedFuture(null), granted, e);
            return;
        }
        call = started;
        if (ending.get() != null) {
            started.cancel();
        }
        started.result().whenComplete((given, thrown) -> {
            if (given != null) {
                opened(given);
            } else {
                notOpened(started.stopped(), granted, thrown);
            }
        });
    }

    private void notOpened(CompletionStage<Void> stopped, RunPermit held, @Nullable Throwable thrown) {
        Throwable why = thrown == null ? new IllegalStateException("no result") : thrown;
        Rerun rerun = Rerun.after(why, held, record.scan);
        if (rerun == Rerun.NONE) {
            end(Ending.failed(failure(why)));
        }
        stopped.whenComplete((nothing, never) -> waitAgain(rerun));
    }

    /** The engine is idle for this query, which gave nothing: it waits for another permit, unless it has ended. */
    private void waitAgain(Rerun rerun) {
        call = null;
        ReaderWatch watched = watch;
        if (watched != null) {
            watched.stop();
            watch = null;
        }
        boolean waits = ending.get() == null
                && (state.compareAndSet(QueryState.RUNNING, QueryState.QUEUED)
                        || state.compareAndSet(QueryState.STREAMING, QueryState.QUEUED));
        if (!waits) {
            engineIdle(attempt.get());
            return;
        }
        if (rerun == Rerun.BUSY) {
            clock.reset();
        }
        place.waitAgain(rerun);
    }

    @Override
    public @Nullable CompletionStage<ArrowResult> again(Throwable thrown) {
        ArrowResult failed = result;
        Rerun rerun = Rerun.after(thrown, place.permit(), record.scan);
        if (failed == null || ending.get() != null || rerun != Rerun.MORE_MEMORY) {
            return null;
        }
        CompletableFuture<ArrowResult> other = new CompletableFuture<>();
        reopened = other;
        // That the failed result stops does not mean from here on that the query has.
        attempt.incrementAndGet();
        failed.close();
        failed.stopped().whenComplete((nothing, never) -> waitAgain(rerun));
        return other;
    }

    private void opened(ArrowResult given) {
        result = given;
        int mine = attempt.get();
        given.stopped().whenComplete((nothing, never) -> engineIdle(mine));
        CompletableFuture<ArrowResult> waits = reopened;
        RunStream open = opened;
        if (open == null) {
            open = new RunStream(this, given);
            opened = open;
        }
        Ending ended = ending.get();
        if (ended == null && state.compareAndSet(QueryState.RUNNING, QueryState.STREAMING)) {
            watch(open);
            if (waits == null ? stream.complete(open) : waits.complete(given)) {
                return;
            }
            ended = ending.get();
        }
        GatewayException failure = ended == null ? null : ended.failure();
        open.abort(failure == null ? Failures.internal(new IllegalStateException("stream without reader")) : failure);
        if (waits != null) {
            given.close();
        }
    }

    /**
     * Decides the end; the first one wins.
     *
     * @return whether this call decided it
     */
    private boolean end(Ending decided) {
        if (!ending.compareAndSet(null, decided)) {
            return false;
        }
        record.endingNanos = services.timers().nanoTime();
        record.endedIn =
                state.getAndUpdate(now -> now.isDone() || decided.failure() == null ? now : QueryState.CANCELLING);
        clock.stop();
        ReaderWatch watched = watch;
        if (watched != null) {
            watched.stop();
        }
        place.end(this::releasePermit);
        GatewayException failure = decided.failure();
        if (failure != null) {
            stop(failure);
        }
        if (idle.get() == attempt.get()) {
            settle();
        }
        return true;
    }

    private void stop(GatewayException failure) {
        EngineCall<ArrowResult> running = call;
        if (running != null) {
            running.cancel();
        }
        stream.completeExceptionally(failure);
        RunStream open = opened;
        if (open != null) {
            open.abort(failure);
        }
    }

    /** The engine is done with this query; its end may still be undecided while the reader has the last batch. */
    private void engineIdle(int of) {
        idle.accumulateAndGet(of, Math::max);
        if (of == attempt.get() && ending.get() != null) {
            settle();
        }
    }

    /** Everything under way has stopped: gives back what is left and tells. Once. */
    private void settle() {
        if (!settled.compareAndSet(false, true)) {
            return;
        }
        place.stopGrace();
        record.settledNanos = services.timers().nanoTime();
        releasePermit();
        Ending ended = ending();
        state.set(ended.state());
        GatewayException failure = ended.failure();
        if (failure != null) {
            stream.completeExceptionally(failure);
        }
        QuerySnapshot last = snapshot();
        services.onDone().accept(this, last);
        done.complete(last);
    }

    private void releasePermit() {
        place.release(ending().state(), result);
    }

    private Ending ending() {
        Ending ended = ending.get();
        return ended == null ? Ending.cancelled(CancelReason.CLIENT_GONE, id()) : ended;
    }

    private void watch(RunStream open) {
        RunPermit held = place.permit();
        if (held == null) {
            return;
        }
        ReaderWatch watched = new ReaderWatch(this, services.timers(), open, held, limits.clientStallTimeout());
        watch = watched;
        watched.start();
    }

    @Override
    public boolean hasEnded() {
        return ending.get() != null;
    }

    @Override
    public void paused() {
        state.compareAndSet(QueryState.STREAMING, QueryState.PAUSED);
    }

    @Override
    public void resumed() {
        state.compareAndSet(QueryState.PAUSED, QueryState.STREAMING);
    }

    @Override
    public void stalled(Duration allowed) {
        end(Ending.failed(Failures.clientStalled(id(), allowed)));
    }

    @Override
    public @Nullable CompletionStage<Void> pulled() {
        ReaderWatch watched = watch;
        return watched == null ? null : watched.pulled();
    }

    private GatewayException failure(Throwable thrown) {
        StatementScan found = record.scan;
        return Failures.of(thrown, id(), found == null || found.kind().isRead());
    }

    @Override
    public long nanoTime() {
        return services.timers().nanoTime();
    }

    @Override
    public void handed(long batchRows) {
        record.rows.addAndGet(batchRows);
        record.batches.incrementAndGet();
    }

    @Override
    public void sent(long count) {
        record.bytes.addAndGet(count);
    }

    @Override
    public GatewayException failed(Throwable thrown) {
        GatewayException failure = failure(thrown);
        end(Ending.failed(failure));
        GatewayException decided = ending().failure();
        return decided == null ? failure : decided;
    }

    @Override
    public void readerDone(boolean complete) {
        end(complete ? Ending.FINISHED : Ending.cancelled(CancelReason.CLIENT_GONE, id()));
    }

    @Override
    public String id() {
        return record.id;
    }

    @Override
    public CompletionStage<ResultStream> stream() {
        return stream;
    }

    @Override
    public CompletionStage<QuerySnapshot> done() {
        return done;
    }

    @Override
    public boolean cancel(CancelReason reason) {
        return end(Ending.cancelled(reason, id()));
    }

    @Override
    public boolean fail(GatewayException failure) {
        return end(Ending.failed(failure));
    }

    @Override
    public boolean mayBePartitioned() {
        return record.mayBePartitioned();
    }

    @Override
    public QuerySnapshot snapshot() {
        QueryState now = Objects.requireNonNull(state.get());
        WaitInfo wait =
                now == QueryState.QUEUED ? services.admission().waitInfo(id()).orElse(null) : null;
        return record.snapshot(
                now,
                services.timers().nanoTime(),
                now == QueryState.QUEUED ? null : place.permit(),
                wait,
                now == QueryState.CANCELLING || now.isDone() ? ending.get() : null,
                inForce(),
                opened);
    }
}
