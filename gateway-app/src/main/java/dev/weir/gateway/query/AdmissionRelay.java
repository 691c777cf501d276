package dev.weir.gateway.query;

import dev.weir.admission.AdmissionListener;
import dev.weir.admission.AdmissionRequest;
import dev.weir.admission.QueryClass;
import dev.weir.admission.Rejection;
import dev.weir.admission.RunPermit;
import dev.weir.gateway.query.AdmissionTrail.Decision;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Hands the decisions of an admission controller on to the queries that they are about. Made before the controller,
 * which takes it as its listener; the query service attaches itself. Thread-safe; does not block.
 */
public final class AdmissionRelay implements AdmissionListener {

    /**
     * @param told hears of each decision about a query that is not done
     */
    private record Target(QueryRegistry queries, LimitsSource limits, BiConsumer<QueryRun, AdmissionTrail.Step> told) {}

    private volatile @Nullable Target target;

    void attach(QueryRegistry queries, LimitsSource limits, BiConsumer<QueryRun, AdmissionTrail.Step> told) {
        target = new Target(queries, limits, told);
    }

    @Override
    public void queued(AdmissionRequest request) {
        decided(request, Decision.QUEUED);
    }

    @Override
    public void granted(AdmissionRequest request, RunPermit permit) {
        QueryRun run = find(request);
        if (run != null) {
            // It may have left the lane already when its grant is told on a busy executor.
            boolean lane = permit.inShortLane() || run.record().trail.hasOverrun();
            add(run, Decision.GRANTED, lane ? "short" : "all", why(permit.queryClass(), lane, request.heavy()));
        }
    }

    private static String why(QueryClass taken, boolean lane, boolean declared) {
        return switch (taken) {
            case SHORT -> lane ? "known_short" : "lane_full";
            case UNKNOWN -> lane ? "probation" : "unknown";
            case HEAVY -> declared ? "declared_heavy" : "known_heavy";
        };
    }

    @Override
    public void rejected(AdmissionRequest request, Rejection rejection) {
        Target to = target;
        QueryRun run = find(request);
        if (to != null && run != null) {
            Refusals.InForce inForce =
                    Refusals.InForce.of(to.limits(), run.identity().groups());
            add(run, Decision.REJECTED, null, Refusals.limitName(rejection, inForce));
        }
    }

    @Override
    public void cancelled(AdmissionRequest request) {
        decided(request, Decision.CANCELLED);
    }

    @Override
    public void paused(AdmissionRequest request) {
        decided(request, Decision.PAUSED);
    }

    @Override
    public void resumed(AdmissionRequest request) {
        decided(request, Decision.RESUMED);
    }

    @Override
    public void overran(AdmissionRequest request) {
        decided(request, Decision.OVERRAN);
    }

    @Override
    public void returned(AdmissionRequest request) {
        decided(request, Decision.RETURNED);
    }

    @Override
    public void released(AdmissionRequest request, RunPermit.Outcome outcome, long heldNanos) {
        decided(request, Decision.RELEASED);
    }

    private void decided(AdmissionRequest request, Decision decision) {
        QueryRun run = find(request);
        if (run != null) {
            add(run, decision, null, null);
        }
    }

    private @Nullable QueryRun find(AdmissionRequest request) {
        Target to = target;
        return to == null ? null : to.queries().live(request.queryId());
    }

    private void add(QueryRun run, Decision decision, @Nullable String place, @Nullable String why) {
        Target to = target;
        AdmissionTrail.Step step = run.record().trail.add(decision, run.nanoTime(), place, why);
        if (to != null) {
            to.told().accept(run, step);
        }
    }
}
