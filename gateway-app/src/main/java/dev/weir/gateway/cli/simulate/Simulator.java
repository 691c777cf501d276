package dev.weir.gateway.cli.simulate;

import dev.weir.admission.AdmissionLimits;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** Plays a trace under each policy. */
public final class Simulator {

    private Simulator() {}

    /**
     * Plays a trace. The same trace, limits and seed give the same report.
     *
     * @param seed of the random numbers; empty for the trace's own
     * @throws TraceException when the trace cannot be read
     */
    public static SimulationReport run(Path trace, AdmissionLimits limits, OptionalLong seed) {
        return run(trace.toString(), TraceFiles.read(trace, seed), limits);
    }

    static SimulationReport run(String name, Trace trace, AdmissionLimits limits) {
        List<PolicyReport> reports = new ArrayList<>();
        for (PolicyKind kind : PolicyKind.values()) {
            reports.add(Simulation.run(trace, limits, kind));
        }
        return new SimulationReport(name, trace.remark(), limits, reports);
    }
}
