package dev.weir.gateway.query;

import dev.weir.admission.AdmissionRequest;
import dev.weir.admission.RunPermit;
import dev.weir.admission.WaitInfo;
import dev.weir.auth.Identity;
import dev.weir.engine.Access;
import dev.weir.engine.EngineIngest;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.QueryContext;
import dev.weir.engine.StatementKind;
import dev.weir.engine.StatementScan;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** What is known and counted of one query: who asked what, when it did what, and what it gave. Thread-safe. */
final class RunRecord {

    final String id;
    final Identity identity;
    final QueryRequest request;
    final AtomicLong rows = new AtomicLong();
    final AtomicLong batches = new AtomicLong();
    final AtomicLong bytes = new AtomicLong();
    volatile @Nullable StatementScan scan;
    volatile long admittedNanos;
    volatile long endingNanos;
    volatile long settledNanos;
    volatile @Nullable QueryState endedIn;

    /** Of the trace that the engine's work belongs to; null for none. */
    volatile @Nullable String traceParent;

    final TrailRecorder trail;
    private final Instant submitted;
    private final long submittedNanos;

    RunRecord(String id, Identity identity, QueryRequest request, Instant submitted, long submittedNanos) {
        this.id = id;
        this.identity = identity;
        this.request = request;
        this.submitted = submitted;
        this.submittedNanos = submittedNanos;
        this.trail = new TrailRecorder(submittedNanos);
    }

    boolean mayBePartitioned() {
        StatementScan found = scan;
        return found != null && found.kind() == StatementKind.QUERY && !found.ordered();
    }

    /**
     * @param held the permit, also when it was given back; null before the grant
     * @param wait how the wait stands; null when it does not wait
     * @param ended how it ends; null while that is open
     * @param opened the stream of its result; null while it has none
     */
    QuerySnapshot snapshot(
            QueryState state,
            long now,
            @Nullable RunPermit held,
            @Nullable WaitInfo wait,
            @Nullable Ending ended,
            Refusals.InForce inForce,
            @Nullable RunStream opened) {
        long until = state.isDone() ? settledNanos : now;
        GatewayException failure = ended == null || state == QueryState.CANCELLED ? null : ended.failure();
        CancelReason reason = ended == null ? null : ended.cancelReason();
        StatementScan found = scan;
        return new QuerySnapshot(
                id,
                identity.user(),
                request.front(),
                state,
                found == null ? null : found.kind(),
                found == null ? 0 : found.fingerprint(),
                submitted,
                Duration.ofNanos((held == null ? until : admittedNanos) - submittedNanos),
                held == null ? Duration.ZERO : Duration.ofNanos(Math.max(0, until - admittedNanos)),
                rows.get(),
                batches.get(),
                bytes.get(),
                held == null ? 0 : held.reservedBytes(),
                held == null ? inForce.group() : held.group(),
                queryClass(held),
                held == null || state.isDone() ? null : held.inShortLane() ? "short" : "all",
                trail.trail(until),
                wait == null ? null : wait.position(),
                wait == null ? null : Refusals.reason(wait.reason(), inForce),
                wait == null ? null : Refusals.holding(wait.reason(), inForce),
                wait == null ? null : wait.predictedWait().orElse(null),
                reason,
                reason == null ? null : endedIn,
                reason == null && state != QueryState.CANCELLING ? null : Duration.ofNanos(until - endingNanos),
                failure == null ? null : failure.code(),
                failure == null ? null : failure.text(),
                failure == null ? null : failure.details(),
                request.tags(),
                opened == null ? null : opened.format());
    }

    /** What the query asks of admission. */
    AdmissionRequest admissionRequest(StatementScan found, QueryLimits.Clocks limits) {
        return admissionRequest(id, identity, found, request, limits);
    }

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

    /** The statement as the engine gets it, once it is admitted. */
    EngineQuery engineQuery(Access access, RunPermit granted, Duration statementTimeout) {
        return new EngineQuery(
                id,
                request.sql(),
                access,
                request.settings(),
                request.parameterRows(),
                EngineQuery.DEFAULT_BATCH_ROWS,
                context(granted, statementTimeout));
    }

    private QueryContext context(RunPermit granted, Duration statementTimeout) {
        return new QueryContext(
                identity.user(), granted.reservedBytes(), granted.inShortLane(), statementTimeout, traceParent);
    }

    /** The engine took so much of an upload. */
    void uploaded(long moreRows, long moreBytes) {
        rows.addAndGet(moreRows);
        bytes.addAndGet(moreBytes);
        batches.addAndGet(moreRows > 0 ? 1 : 0);
    }

    /** The ingest as the engine gets it, once it is admitted. */
    EngineIngest engineIngest(Ingest ingest, Access access, RunPermit granted, Duration statementTimeout) {
        return ingest.of(id, access, context(granted, statementTimeout));
    }

    private @Nullable String queryClass(@Nullable RunPermit held) {
        if (held == null) {
            return request.heavy() ? "heavy" : null;
        }
        return held.queryClass().name().toLowerCase(Locale.ROOT);
    }
}
