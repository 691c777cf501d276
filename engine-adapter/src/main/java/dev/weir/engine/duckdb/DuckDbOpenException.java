package dev.weir.engine.duckdb;

import org.jspecify.annotations.Nullable;

/** A database that cannot be opened. The message says what is wrong and is meant for the operator's console. */
public final class DuckDbOpenException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String setting;

    /** @param setting the component of {@link DuckDbSettings} at fault, in the words of the gateway's properties */
    DuckDbOpenException(String setting, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.setting = setting;
    }

    /** The setting at fault, for example {@code database} or {@code init-sql}. */
    public String setting() {
        return setting;
    }
}
