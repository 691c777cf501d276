package dev.weir.gateway.query;

import dev.weir.admission.AdmissionController;
import dev.weir.admission.AdmissionLimits;
import dev.weir.admission.AdmissionSnapshot;
import dev.weir.admission.Explanation;
import dev.weir.admission.GroupLimits;
import dev.weir.admission.RunTimeStats;
import dev.weir.admission.WaitInfo;
import dev.weir.auth.Identity;
import dev.weir.auth.Role;
import dev.weir.engine.EngineCapacity;
import dev.weir.engine.EngineNode;
import dev.weir.engine.QueryEngine;
import dev.weir.engine.StatementScan;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The view over one controller. */
final class DefaultAdmissionView implements AdmissionView {

    /** As many lines as are looked through for those that a user may see. */
    private static final int MOST_HISTORY = 100_000;

    private final QueryEngine engine;
    private final AdmissionController admission;
    private final LimitsSource limits;

    DefaultAdmissionView(QueryEngine engine, AdmissionController admission, LimitsSource limits) {
        this.engine = engine;
        this.admission = admission;
        this.limits = limits;
    }

    @Override
    public AdmissionSnapshot snapshot(Identity identity) {
        AdmissionSnapshot all = admission.snapshot();
        boolean admin = isAdmin(identity);
        String own = inForce(identity).group();
        return new AdmissionSnapshot(
                admin ? all.limits() : ownLimits(all.limits(), own),
                all.running(),
                all.shortRunning(),
                all.queued(),
                all.paused(),
                all.reservedBytes(),
                all.groups().stream()
                        .filter(group -> admin || group.name().equals(own))
                        .toList(),
                all.users().stream()
                        .filter(user -> !user.name().equals(DefaultQueryService.INTERNAL_USER)
                                && (admin || user.name().equals(identity.user())))
                        .toList(),
                all.reasons(),
                all.held(),
                all.draining());
    }

    @Override
    public EngineCapacity capacity() {
        return engine.capacity();
    }

    @Override
    public List<EngineNode> workers(Identity identity) {
        RequestChecks.requireAdmin(identity, "The workers need");
        return engine.nodes();
    }

    private static AdmissionLimits ownLimits(AdmissionLimits all, String own) {
        Map<String, GroupLimits> groups = new HashMap<>();
        groups.put(AdmissionLimits.DEFAULT_GROUP, all.group(AdmissionLimits.DEFAULT_GROUP));
        groups.put(own, all.group(own));
        return new AdmissionLimits(
                all.maxRunning(),
                all.maxQueued(),
                all.shortLane(),
                all.shortQuery(),
                all.maxPaused(),
                all.memoryBudgetBytes(),
                all.rate(),
                groups);
    }

    @Override
    public List<RunTimeStats> history(Identity identity, int most) {
        if (isAdmin(identity)) {
            return admission.history(most).stream()
                    .filter(line -> !line.key().equals(DefaultQueryService.INTERNAL_USER))
                    .toList();
        }
        String group = inForce(identity).group();
        return admission.history(MOST_HISTORY).stream()
                .filter(line -> switch (line.scope()) {
                    case USER -> line.key().equals(identity.user());
                    case GROUP -> line.key().equals(group);
                    // Whose statement it was is not known any more.
                    case STATEMENT -> false;
                })
                .limit(most)
                .toList();
    }

    @Override
    public Explained explain(Identity identity, QueryRequest request) {
        Refusals.InForce inForce = inForce(identity);
        QueryLimits.Clocks clocks = limits.clocks().of(identity.groups());
        StatementScan scan;
        try {
            scan = engine.scan(request.sql());
            RequestChecks.check(identity, RequestChecks.access(identity.role()), scan, request, clocks, false);
        } catch (RuntimeException e) {
            GatewayException refusal = Failures.of(e, null, true);
            return new Explained(
                    Explanation.Decision.REFUSE,
                    inForce.group(),
                    null,
                    null,
                    0,
                    false,
                    null,
                    null,
                    null,
                    refusal.details().limit(),
                    null,
                    refusal);
        }
        return explained(
                admission.explain(RunRecord.admissionRequest("explained", identity, scan, request, clocks)), inForce);
    }

    private static Explained explained(Explanation found, Refusals.InForce inForce) {
        WaitInfo wait = found.waiting().orElse(null);
        GatewayException refusal = found.rejection()
                .map(rejection -> Refusals.of(rejection, inForce))
                .orElse(null);
        ErrorDetails.Limit limit = refusal != null
                ? refusal.details().limit()
                : wait == null ? null : Refusals.holding(wait.reason(), inForce);
        return new Explained(
                found.decision(),
                found.group(),
                found.queryClass(),
                found.learnedFrom().orElse(null),
                found.reservedBytes(),
                found.learnedReservation(),
                found.expectedTime().orElse(null),
                wait == null ? null : wait.position(),
                wait == null ? null : Refusals.reason(wait.reason(), inForce),
                limit,
                wait == null ? null : wait.predictedWait().orElse(null),
                refusal);
    }

    @Override
    public Map<String, Object> limits(Identity identity) {
        RequestChecks.requireAdmin(identity, "The limits need");
        return limits.tree();
    }

    @Override
    public Map<String, Object> change(Identity identity, Map<String, ?> changes, boolean persist) {
        RequestChecks.requireAdmin(identity, "The limits need");
        limits.change(changes, persist);
        return limits.tree();
    }

    private Refusals.InForce inForce(Identity identity) {
        return Refusals.InForce.of(limits, identity.groups());
    }

    private static boolean isAdmin(Identity identity) {
        return identity.role().includes(Role.ADMIN);
    }
}
