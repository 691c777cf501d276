package dev.weir.gateway.cli;

import org.jspecify.annotations.Nullable;

/** Ends a command with one line on standard error and an exit code. */
final class CommandFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int exitCode;

    private CommandFailure(int exitCode, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.exitCode = exitCode;
    }

    /** The command was given wrongly. */
    static CommandFailure usage(String message) {
        return new CommandFailure(ExitCode.USAGE, message, null);
    }

    static CommandFailure usage(@Nullable String message, Throwable cause) {
        return new CommandFailure(ExitCode.USAGE, String.valueOf(message), cause);
    }

    /** The command could not do its work. */
    static CommandFailure failure(String message) {
        return new CommandFailure(ExitCode.FAILURE, message, null);
    }

    static CommandFailure failure(String message, Throwable cause) {
        return new CommandFailure(ExitCode.FAILURE, message, cause);
    }

    int exitCode() {
        return exitCode;
    }
}
