package dev.weir.gateway.query;

/** Who or what asked a query to stop. */
public enum CancelReason {
    /** The client's own cancel call. */
    CLIENT_CANCEL,
    /** The client went away. */
    CLIENT_GONE,
    /** An administrator's call. */
    ADMIN,
    /** The gateway is shutting down and the grace is over. */
    DRAIN;

    /** For metrics and log lines. */
    public String label() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }
}
