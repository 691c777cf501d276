package dev.weir.gateway.cli.simulate;

import dev.weir.admission.AdmissionLimits;
import java.util.OptionalLong;

/** Runs of small traces, and the figures of one user. */
final class Runs {

    private Runs() {}

    static GeneratedTrace trace(String yaml) {
        return GeneratedTrace.read("trace.yaml", yaml, OptionalLong.empty());
    }

    static PolicyReport run(PolicyKind kind, TestLimits limits, String yaml) {
        return run(kind, limits.build(), yaml);
    }

    static PolicyReport run(PolicyKind kind, AdmissionLimits limits, String yaml) {
        return Simulation.run(trace(yaml), limits, kind);
    }

    static PolicyReport.Figures user(PolicyReport report, String name) {
        return report.users().stream()
                .filter(user -> user.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    static PolicyReport.Figures group(PolicyReport report, String name) {
        return report.groups().stream()
                .filter(group -> group.name().equals(name))
                .findFirst()
                .orElseThrow();
    }
}
