package dev.weir.gateway.query;

/**
 * Every way a request can fail; one table for every front, log line and metric.
 *
 * <p>The gRPC status is held as its name, so that this package needs no gRPC.
 */
public enum GatewayErrorCode {
    UNAUTHENTICATED(401, "UNAUTHENTICATED", "28P01", false, false),
    FORBIDDEN(403, "PERMISSION_DENIED", "42501", false, false),
    INVALID_REQUEST(400, "INVALID_ARGUMENT", "22023", false, false),
    INVALID_SQL(400, "INVALID_ARGUMENT", "42601", false, false),
    NOT_FOUND(404, "NOT_FOUND", "02000", false, false),
    CONFLICT(409, "ABORTED", "40001", false, false),
    TOO_LARGE(413, "INVALID_ARGUMENT", "54000", false, false),
    EXECUTION_FAILED(422, "INVALID_ARGUMENT", "22000", false, true),
    MEMORY_LIMIT(422, "RESOURCE_EXHAUSTED", "53200", false, true),
    STATEMENT_TIMEOUT(422, "DEADLINE_EXCEEDED", "57014", false, true),
    CLIENT_STALLED(422, "DEADLINE_EXCEEDED", "57014", false, true),
    QUEUE_FULL(429, "RESOURCE_EXHAUSTED", "53300", true, false),
    USER_LIMIT(429, "RESOURCE_EXHAUSTED", "53300", true, false),
    RATE_LIMITED(429, "RESOURCE_EXHAUSTED", "53300", true, false),
    QUEUE_TIMEOUT(429, "RESOURCE_EXHAUSTED", "53300", true, false),
    CANCELLED(499, "CANCELLED", "57014", false, true),
    DRAINING(503, "UNAVAILABLE", "57P03", true, false),
    ENGINE_UNAVAILABLE(503, "UNAVAILABLE", "57P03", true, false),
    ENGINE_LOST(502, "UNAVAILABLE", "08006", true, true),
    OUTCOME_UNKNOWN(500, "UNKNOWN", "08007", false, true),
    INTERNAL(500, "INTERNAL", "XX000", false, true);

    private final int httpStatus;
    private final String grpcStatus;
    private final String sqlState;
    private final boolean retryable;
    private final boolean started;

    GatewayErrorCode(int httpStatus, String grpcStatus, String sqlState, boolean retryable, boolean started) {
        this.httpStatus = httpStatus;
        this.grpcStatus = grpcStatus;
        this.sqlState = sqlState;
        this.retryable = retryable;
        this.started = started;
    }

    /** The usual HTTP status; a front may choose a closer one (405, 406, 415, 410). */
    public int httpStatus() {
        return httpStatus;
    }

    /** The name of the gRPC status code. */
    public String grpcStatus() {
        return grpcStatus;
    }

    /** SQLSTATE when the engine gave none. */
    public String sqlState() {
        return sqlState;
    }

    /** Whether the same request may succeed when tried again. */
    public boolean retryable() {
        return retryable;
    }

    /** Whether the statement may have been started when this happened. */
    public boolean started() {
        return started;
    }
}
