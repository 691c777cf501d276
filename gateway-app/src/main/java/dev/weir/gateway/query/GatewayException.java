package dev.weir.gateway.query;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A failure as a client sees it. The message says what was wrong, which limit or property, and what to do; it carries
 * no statement text, path or stack trace. A cause is for the log.
 */
public final class GatewayException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final GatewayErrorCode code;
    private final transient ErrorDetails details;

    public GatewayException(GatewayErrorCode code, String message) {
        this(code, message, ErrorDetails.NONE, null);
    }

    public GatewayException(GatewayErrorCode code, String message, ErrorDetails details) {
        this(code, message, details, null);
    }

    public GatewayException(GatewayErrorCode code, String message, ErrorDetails details, @Nullable Throwable cause) {
        // Refusals come in storms and are no faults: only INTERNAL is worth a stack trace.
        super(message, cause, false, code == GatewayErrorCode.INTERNAL);
        this.code = Objects.requireNonNull(code);
        this.details = Objects.requireNonNull(details);
    }

    public GatewayErrorCode code() {
        return code;
    }

    public ErrorDetails details() {
        return details;
    }

    /** The engine's SQLSTATE, or the code's own. */
    public String sqlState() {
        String own = details.sqlState();
        return own != null ? own : code.sqlState();
    }

    /** The text clients get; never null. */
    public String text() {
        return Objects.requireNonNullElse(getMessage(), code.name());
    }
}
