package dev.weir.gateway.cli.query;

import org.jspecify.annotations.Nullable;

/** The gateway or the way to it failed; the message is for the user, one or a few lines. */
public final class QueryFailure extends Exception {

    private static final long serialVersionUID = 1L;

    QueryFailure(String message) {
        super(message);
    }

    QueryFailure(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** The message; never null. */
    public String text() {
        String message = getMessage();
        return message == null ? "the query failed" : message;
    }
}
