package dev.weir.gateway.query;

import dev.weir.admission.Admission;
import dev.weir.admission.AdmissionRequest;
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
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One query from submit to its end. Owns the permit and the result and gives each back once.
 *
 * <p>How it ends is decided by one CAS on {@link #ending}; everyone who wants it to stop competes there. The winner
 * only pokes what is under way (waiter, engine call, stream). The query settles (permit back, terminal state, listeners)
 * when the thing under way has really stopped, and that is called from exactly one place per phase, so that CANCELLED
 * means that the engine is idle.
 */
final class QueryRun implements QueryExecution, RunStream.Owner, ReaderWatch.Host {

    /**
     * An engine that has not stopped this long after the query ended keeps no permit any longer: others must not wait
     * for a native call that cannot be interrupted. The query stays visible as CANCELLING until it does stop.
     */
    static final Duration PERMIT_GRACE = Duration.ofSeconds(5);

    private final RunRecord record;
    private final QueryLimits.Clocks limits;
    private final RunServices services;

    private final AtomicReference<QueryState> state = new AtomicReference<>(QueryState.QUEUED);
    private final AtomicReference<@Nullable Ending> ending = new AtomicReference<>();
    private final AtomicBoolean settled = new AtomicBoolean();
    private final CompletableFuture<ResultStream> stream = new CompletableFuture<>();
    private final CompletableFuture<QuerySnapshot> done = new CompletableFuture<>();

    private volatile @Nullable Admission admission;
    private volatile @Nullable RunPermit permit;
    private volatile @Nullable EngineCall<ArrowResult> call;
    private volatile @Nullable RunStream opened;
    private volatile Timers.@Nullable Timer statementTimer;
    private volatile @Nullable ReaderWatch watch;
    private volatile Timers.@Nullable Timer graceTimer;
    private volatile boolean engineIdle;

    QueryRun(String id, Identity identity, QueryRequest request, QueryLimits.Clocks limits, RunServices services) {
        this.record = new RunRecord(
                id,
                identity,
                request,
                services.clock().instant(),
                services.timers().nanoTime());
        this.limits = limits;
        this.services = services;
    }

    /** When it got its permit, on the service's clock; null while it has none, and when it is about to end. */
    @Nullable
    Long runningSince() {
        return permit == null || ending.get() != null ? null : Long.valueOf(record.admittedNanos);
    }

    Identity identity() {
        return record.identity;
    }

    TrailRecorder trail() {
        return record.trail;
    }

    /** Scans, checks and asks for admission; the rest follows from callbacks. Never throws. */
    void start(Access access) {
        try {
            StatementScan found = services.engine().scan(record.request.sql());
            record.scan = found;
            RequestChecks.check(record.identity, access, found, record.request, limits);
            admit(found, access);
        } catch (RuntimeException e) {
            end(Ending.failed(Failures.of(e, id(), true)));
            settle();
        }
    }

    private void admit(StatementScan found, Access access) {
        Admission asked =
                services.admission().admit(admissionRequest(id(), record.identity, found, record.request, limits));
        admission = asked;
        if (ending.get() != null) {
            asked.cancel();
        }
        asked.permit().whenComplete((granted, thrown) -> {
            if (granted != null) {
                granted(granted, access);
            } else {
                // A waiter that was cancelled was so by the ending that is decided already.
                if (ending.get() == null) {
                    end(Ending.failed(notAdmitted(thrown == null ? new IllegalStateException("no permit") : thrown)));
                }
                settle();
            }
        });
    }

    /** What a query asks of admission. */
    static AdmissionRequest admissionRequest(
            String id, Identity identity, StatementScan scan, QueryRequest request, QueryLimits.Clocks limits) {
        return new AdmissionRequest(
                id,
                identity.user(),
                identity.groups(),
                scan.fingerprint(),
                request.memoryBytes(),
                request.queueTimeout().orElse(limits.queueTimeout()),
                request.priority(),
                request.heavy());
    }

    private GatewayException notAdmitted(Throwable thrown) {
        return Failures.of(thrown, id(), true, Refusals.InForce.of(services.limits(), record.identity.groups()));
    }

    private void granted(RunPermit granted, Access access) {
        permit = granted;
        record.admittedNanos = services.timers().nanoTime();
        if (ending.get() != null || !state.compareAndSet(QueryState.QUEUED, QueryState.RUNNING)) {
            settle();
            return;
        }
        Duration timeout = record.request.statementTimeout().orElse(limits.statementTimeout());
        statementTimer = services.timers().schedule(timeout, () -> statementTimedOut(timeout));
        EngineCall<ArrowResult> started;
        try {
            started = services.engine().execute(record.engineQuery(access, granted, timeout));
        } catch (RuntimeException e) {
            end(Ending.failed(failure(e)));
            settle();
            return;
        }
        call = started;
        if (ending.get() != null) {
            started.cancel();
        }
        started.result().whenComplete((result, thrown) -> {
            if (result != null) {
                opened(result);
            } else {
                end(Ending.failed(failure(thrown == null ? new IllegalStateException("no result") : thrown)));
                started.stopped().whenComplete((nothing, never) -> engineIdle());
            }
        });
    }

    private void opened(ArrowResult result) {
        RunStream open = new RunStream(this, result);
        opened = open;
        result.stopped().whenComplete((nothing, never) -> engineIdle());
        Ending ended = ending.get();
        if (ended == null && state.compareAndSet(QueryState.RUNNING, QueryState.STREAMING)) {
            watch(open);
            if (stream.complete(open)) {
                return;
            }
            ended = ending.get();
        }
        GatewayException failure = ended == null ? null : ended.failure();
        open.abort(failure == null ? Failures.internal(new IllegalStateException("stream without reader")) : failure);
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
        cancelTimer(statementTimer);
        ReaderWatch watched = watch;
        if (watched != null) {
            watched.stop();
        }
        if (permit != null) {
            graceTimer = services.timers().schedule(PERMIT_GRACE, this::releasePermit);
        }
        Admission waiting = admission;
        if (waiting != null) {
            waiting.cancel();
        }
        GatewayException failure = decided.failure();
        if (failure != null) {
            stop(failure);
        }
        if (engineIdle) {
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
    private void engineIdle() {
        engineIdle = true;
        if (ending.get() != null) {
            settle();
        }
    }

    /** Everything under way has stopped: gives back what is left and tells. Once. */
    private void settle() {
        if (!settled.compareAndSet(false, true)) {
            return;
        }
        cancelTimer(graceTimer);
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
        RunPermit held = permit;
        if (held == null) {
            return;
        }
        held.close(
                switch (ending().state()) {
                    case FINISHED -> RunPermit.Outcome.FINISHED;
                    case CANCELLED -> RunPermit.Outcome.CANCELLED;
                    default -> RunPermit.Outcome.FAILED;
                });
    }

    private Ending ending() {
        Ending ended = ending.get();
        return ended == null ? Ending.cancelled(CancelReason.CLIENT_GONE, id()) : ended;
    }

    private void statementTimedOut(Duration timeout) {
        end(Ending.failed(Failures.statementTimeout(id(), timeout)));
    }

    private void watch(RunStream open) {
        RunPermit held = permit;
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

    private static void cancelTimer(Timers.@Nullable Timer timer) {
        if (timer != null) {
            timer.cancel();
        }
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
    public QuerySnapshot snapshot() {
        QueryState now = Objects.requireNonNull(state.get());
        WaitInfo wait =
                now == QueryState.QUEUED ? services.admission().waitInfo(id()).orElse(null) : null;
        return record.snapshot(
                now,
                services.timers().nanoTime(),
                permit,
                wait,
                now == QueryState.CANCELLING || now.isDone() ? ending.get() : null,
                Refusals.InForce.of(services.limits(), record.identity.groups()));
    }
}
