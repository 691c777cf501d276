package dev.weir.engine.process;

import org.jspecify.annotations.Nullable;

/** A child process that could not be started. The message says what is wrong and is meant for the operator. */
public final class ChildStartException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String setting;

    ChildStartException(String setting, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.setting = setting;
    }

    /** The setting at fault, in the words of the gateway's properties: {@code database}, {@code init-sql} ... */
    public String setting() {
        return setting;
    }
}
