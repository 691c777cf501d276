package dev.weir.engine.duckdb;

import org.jspecify.annotations.Nullable;

/** A database that cannot be opened. The message says what is wrong and is meant for the operator's console. */
public final class DuckDbOpenException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    DuckDbOpenException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
