package dev.weir.gateway.cli.simulate;

import dev.weir.admission.AdmissionLimits;
import java.io.IOException;
import java.util.List;

/** What a trace came to under each policy. Immutable. */
public final class SimulationReport {

    private final String trace;
    private final String remark;
    private final AdmissionLimits limits;
    private final List<PolicyReport> policies;

    SimulationReport(String trace, String remark, AdmissionLimits limits, List<PolicyReport> policies) {
        this.trace = trace;
        this.remark = remark;
        this.limits = limits;
        this.policies = List.copyOf(policies);
    }

    /**
     * Prints tables for people.
     *
     * @param maxUsers users shown at most, those that waited longest first
     */
    public void printTables(Appendable out, int maxUsers) throws IOException {
        new ReportTables(this, out).print(maxUsers);
    }

    /** Prints one JSON object, with every user. */
    public void printJson(Appendable out) throws IOException {
        out.append(ReportJson.of(this)).append('\n');
    }

    String trace() {
        return trace;
    }

    /** Empty when there is nothing to remark. */
    String remark() {
        return remark;
    }

    AdmissionLimits limits() {
        return limits;
    }

    List<PolicyReport> policies() {
        return policies;
    }

    PolicyReport of(PolicyKind kind) {
        return policies.get(kind.ordinal());
    }
}
