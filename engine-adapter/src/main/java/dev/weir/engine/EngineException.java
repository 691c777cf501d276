package dev.weir.engine;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A failure of an engine, ready for a client: the message carries no statement text, path or stack trace. The cause,
 * which may, is for the log only.
 */
public final class EngineException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final EngineFailure failure;
    private final @Nullable String sqlState;
    private final int position;

    public EngineException(EngineFailure failure, String message) {
        this(failure, message, null, -1, null);
    }

    /**
     * @param sqlState five characters, or null for the default of the error code
     * @param position 0-based character offset into the statement, or -1 when unknown
     */
    public EngineException(
            EngineFailure failure, String message, @Nullable String sqlState, int position, @Nullable Throwable cause) {
        super(message, cause);
        this.failure = Objects.requireNonNull(failure);
        this.sqlState = sqlState;
        this.position = position;
    }

    public EngineFailure failure() {
        return failure;
    }

    public @Nullable String sqlState() {
        return sqlState;
    }

    /** 0-based offset of the fault in the statement, or -1. */
    public int position() {
        return position;
    }
}
