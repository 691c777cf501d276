package dev.weir.engine;

/** Why an engine failed. The engine classifies; nobody downstream matches texts. */
public enum EngineFailure {
    /** Syntax error; has a position where the engine knows one. SQLSTATE 42601. */
    SYNTAX,
    /** Unknown or wrong table, column, type or function. SQLSTATE 42P01, 42703, 42883 ... */
    BINDING,
    /** Too few, too many or wrongly typed parameters. */
    INVALID_PARAMETER,
    /** The statement is of a kind, or names something, that the caller's access or the hardening forbids. */
    FORBIDDEN,
    /** Text, nesting, joins or one value beyond a limit. */
    TOO_LARGE,
    /** A statement that needs a session or a feature that is not offered. */
    UNSUPPORTED,
    /** The statement failed on its data: division by zero, a cast, a constraint. */
    EXECUTION,
    /** The session is in a state that does not permit this: an open result, or a transaction or none; nothing was done. */
    CONFLICT,
    /** Write-write conflict; trying again may work. */
    WRITE_CONFLICT,
    /** The engine ran out of the memory or temp space it may use. */
    MEMORY,
    /** Stopped because someone asked. */
    CANCELLED,
    /** Ran past its {@link QueryContext#timeLeft()}, where the engine keeps that clock itself. */
    TIMED_OUT,
    /** The engine cannot take statements now; nothing was started. */
    UNAVAILABLE,
    /** Every place where the statement could run is taken; nothing was started, and it may be asked again soon. */
    BUSY,
    /** The engine broke while the statement ran. */
    LOST,
    /** A fault of ours or of the engine's. */
    INTERNAL
}
