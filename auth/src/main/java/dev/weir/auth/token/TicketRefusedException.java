package dev.weir.auth.token;

/** A ticket was not accepted; the message may be shown to the client. */
public final class TicketRefusedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** What was wrong. */
    public enum Reason {
        MALFORMED,
        TAMPERED,
        EXPIRED,
        OTHER_USER
    }

    private final Reason reason;

    public TicketRefusedException(Reason reason, String message) {
        super(message, null, false, false);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}
