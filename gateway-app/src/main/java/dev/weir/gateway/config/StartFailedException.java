package dev.weir.gateway.config;

/** A start that cannot go on; the message is the one line that the operator sees, and names the property. */
public final class StartFailedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public StartFailedException(String message) {
        super(message);
    }

    public StartFailedException(String message, Throwable cause) {
        super(message, cause);
    }
}
