package dev.weir.gateway.cli.tpch;

import org.jspecify.annotations.Nullable;

/** TPC-H data could not be made; the message is for the user and says what to do. */
public final class TpchException extends Exception {

    private static final long serialVersionUID = 1L;

    TpchException(String message) {
        super(message);
    }

    TpchException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** The message; never null. */
    public String text() {
        String message = getMessage();
        return message == null ? "TPC-H data could not be made" : message;
    }
}
