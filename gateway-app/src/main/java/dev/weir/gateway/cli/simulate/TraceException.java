package dev.weir.gateway.cli.simulate;

/** A trace that cannot be played; the message names file, line and key. */
public final class TraceException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    TraceException(String message) {
        super(message);
    }

    TraceException(String message, Throwable cause) {
        super(message, cause);
    }
}
