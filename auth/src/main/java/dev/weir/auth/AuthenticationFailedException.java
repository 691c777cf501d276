package dev.weir.auth;

/** Credentials were refused. The message is for clients: it does not tell whether the user exists. */
public final class AuthenticationFailedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** What was wrong, for metrics. */
    public enum Reason {
        MISSING,
        MALFORMED,
        WRONG,
        EXPIRED,
        /** Too many checks at once; the same credentials may work a moment later. */
        BUSY
    }

    private final Reason reason;

    public AuthenticationFailedException(Reason reason, String message) {
        super(message, null, false, false);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}
