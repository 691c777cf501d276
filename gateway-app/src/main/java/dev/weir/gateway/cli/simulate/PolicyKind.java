package dev.weir.gateway.cli.simulate;

import dev.weir.admission.AdmissionLimits;

/** The policies that are compared, the gateway's own first. */
enum PolicyKind {
    WEIR("weir"),
    REJECT_AT_CAP("reject-at-cap"),
    FIFO("fifo"),
    FAIR_BY_COUNT("fair-by-count");

    private final String label;

    PolicyKind(String label) {
        this.label = label;
    }

    String label() {
        return label;
    }

    Policy create(AdmissionLimits limits, EventClock clock, Policy.Decisions decisions) {
        return switch (this) {
            case WEIR -> new GatewayPolicy(limits, clock, decisions);
            case REJECT_AT_CAP -> new RejectAtCapPolicy(limits, decisions);
            case FIFO -> new QueueingPolicy(limits, clock, decisions, new FifoLine());
            case FAIR_BY_COUNT -> new QueueingPolicy(limits, clock, decisions, new CountFairLine());
        };
    }
}
