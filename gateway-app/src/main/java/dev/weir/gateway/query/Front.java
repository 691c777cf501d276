package dev.weir.gateway.query;

/** Where a query came from. */
public enum Front {
    HTTP("http"),
    FLIGHT_SQL("flight_sql");

    private final String label;

    Front(String label) {
        this.label = label;
    }

    /** For metrics and log lines. */
    public String label() {
        return label;
    }
}
