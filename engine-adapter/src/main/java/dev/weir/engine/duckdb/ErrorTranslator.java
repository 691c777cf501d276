package dev.weir.engine.duckdb;

import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Turns DuckDB's errors into failures that a client may see: classified, without statement text, paths or stacks. */
final class ErrorTranslator {

    private static final int MAX_MESSAGE = 1000;

    private static final Pattern EXCERPT = Pattern.compile("(?s)\\s*\\n\\s*LINE \\d+:.*$");
    private static final Pattern STACK = Pattern.compile("(?s)\\s*\\n\\s*(at |Stack Trace:|Caused by:).*$");
    private static final Pattern PATH = Pattern.compile("(?<![\\w.])(?:file:/*)?(?:~?/|[A-Za-z]:\\\\)[^\\s\"'`,;)]+");
    private static final Pattern LONG_ECHO = Pattern.compile("(?s) at or near \"([^\"]{41,}|[^\"]*\\s[^\"]*).*$");
    private static final Pattern EXPRESSION = Pattern.compile("(?s) in expression \\(.*\\)\\.(?= Use TRY)");
    private static final Pattern CONFIGURATION = Pattern.compile(", or SET \\w+=\\w+ to [^.]*\\.");

    static final String TRANSACTION_FAILED =
            "The transaction failed with a statement before; it takes nothing but its rollback. Roll it back";

    private ErrorTranslator() {}

    static EngineException transactionFailed() {
        return new EngineException(EngineFailure.CONFLICT, TRANSACTION_FAILED, "25P02", -1, null);
    }

    static EngineException cancelled() {
        return new EngineException(EngineFailure.CANCELLED, "The query was cancelled", "57014", -1, null);
    }

    static EngineException unavailable(String message) {
        return new EngineException(EngineFailure.UNAVAILABLE, message, "57P03", -1, null);
    }

    /** @param text what was running, for the position; null when the client did not write it */
    static EngineException translate(Throwable thrown, @Nullable SqlText text) {
        if (thrown instanceof EngineException already) {
            return already;
        }
        if (thrown instanceof OutOfMemoryError
                || thrown.getClass().getSimpleName().equals("OutOfMemoryException")) {
            return new EngineException(
                    EngineFailure.MEMORY, "The gateway has no memory left for this result", "53200", -1, thrown);
        }
        DuckDbError error = DuckDbError.parse(thrown);
        Classified classified = classify(error);
        int position = text == null || error.position() < 0 ? -1 : text.position(error.position());
        String message = classified.message() != null ? classified.message() : clean(error.message());
        return new EngineException(classified.failure(), message, classified.sqlState(), position, thrown);
    }

    private record Classified(
            EngineFailure failure,
            String sqlState,
            @Nullable String message) {

        Classified(EngineFailure failure, String sqlState) {
            this(failure, sqlState, null);
        }
    }

    private static Classified classify(DuckDbError error) {
        String message = error.message().toLowerCase(Locale.ROOT);
        if (message.contains("read-only mode") || message.contains("read-only transaction")) {
            return new Classified(
                    EngineFailure.FORBIDDEN,
                    "42501",
                    "The statement changes data; it needs write access, and no read-only transaction");
        }
        return switch (error.type().toLowerCase(Locale.ROOT)) {
            case "parser", "syntax" -> new Classified(EngineFailure.SYNTAX, "42601");
            case "binder" -> binder(error, message);
            case "catalog" -> catalog(error);
            case "dependency" -> new Classified(EngineFailure.BINDING, "2BP01");
            case "parameter not resolved", "parameter not allowed" ->
                new Classified(EngineFailure.INVALID_PARAMETER, "22023");
            case "permission" -> new Classified(EngineFailure.FORBIDDEN, "42501");
            case "settings", "invalid configuration" -> new Classified(EngineFailure.FORBIDDEN, "42501");
            case "not implemented", "missing extension", "extension autoloading", "autoload" ->
                new Classified(EngineFailure.UNSUPPORTED, "0A000");
            case "out of memory" -> outOfMemory(message);
            case "interrupt" -> new Classified(EngineFailure.CANCELLED, "57014", "The query was cancelled");
            case "fatal" -> lost();
            case "io" -> inputOutput(message);
            case "internal" -> internal();
            default -> data(error, message);
        };
    }

    private static Classified data(DuckDbError error, String message) {
        return switch (error.type().toLowerCase(Locale.ROOT)) {
            case "conversion", "type mismatch", "invalid type" ->
                new Classified(EngineFailure.EXECUTION, message.contains("out of range") ? "22003" : "22P02");
            case "out of range", "decimal" -> new Classified(EngineFailure.EXECUTION, "22003");
            case "constraint" -> new Classified(EngineFailure.EXECUTION, constraint(message));
            case "transactioncontext", "transaction" -> transaction(message);
            case "sequence" -> new Classified(EngineFailure.EXECUTION, "2200H");
            case "invalid input" -> invalidInput(message);
            case "" -> message.contains("invalidated") ? lost() : internal();
            default -> new Classified(EngineFailure.EXECUTION, "22000");
        };
    }

    private static Classified binder(DuckDbError error, String message) {
        String state;
        if (error.subtype().equals("COLUMN_NOT_FOUND") || message.contains("does not have a column")) {
            state = "42703";
        } else if (message.startsWith("ambiguous")) {
            state = "42702";
        } else if (message.contains("group by clause")) {
            state = "42803";
        } else if (message.startsWith("no function matches") || message.startsWith("could not choose")) {
            state = "42883";
        } else if (message.contains("cannot compare") || message.contains("type mismatch")) {
            state = "42804";
        } else {
            state = "42000";
        }
        return new Classified(EngineFailure.BINDING, state);
    }

    private static Classified catalog(DuckDbError error) {
        if (error.message().contains("write-write conflict")) {
            return conflict();
        }
        String entry = error.entry().toLowerCase(Locale.ROOT);
        if (error.subtype().equals("ENTRY_ALREADY_EXISTS") || error.message().contains("already exists")) {
            return new Classified(EngineFailure.BINDING, entry.contains("column") ? "42701" : "42P07");
        }
        if (entry.contains("function")) {
            return new Classified(EngineFailure.BINDING, "42883");
        }
        if (entry.contains("schema")) {
            return new Classified(EngineFailure.BINDING, "3F000");
        }
        boolean table = entry.isEmpty() || entry.contains("table") || entry.contains("view");
        return new Classified(EngineFailure.BINDING, table ? "42P01" : "42704");
    }

    private static String constraint(String message) {
        if (message.contains("duplicate key") || message.contains("unique constraint")) {
            return "23505";
        }
        if (message.contains("not null")) {
            return "23502";
        }
        if (message.contains("foreign key")) {
            return "23503";
        }
        return message.contains("check constraint") ? "23514" : "23000";
    }

    private static Classified transaction(String message) {
        if (message.contains("transaction is aborted") || message.contains("transaction is invalidated")) {
            return new Classified(EngineFailure.CONFLICT, "25P02", TRANSACTION_FAILED);
        }
        if (message.contains("conflict")) {
            return conflict();
        }
        // A constraint can fail as late as at commit.
        String constraint = constraint(message);
        return new Classified(EngineFailure.EXECUTION, constraint.equals("23000") ? "25000" : constraint);
    }

    private static Classified conflict() {
        return new Classified(
                EngineFailure.WRITE_CONFLICT,
                "40001",
                "Another statement changed the same rows or objects at the same time; try again");
    }

    private static Classified invalidInput(String message) {
        if (message.equals("invalid result set")) {
            return new Classified(
                    EngineFailure.EXECUTION, "22000", "The statement failed before its first row; nothing was changed");
        }
        if (message.contains("count mismatch") || message.contains("values were not provided")) {
            return new Classified(EngineFailure.INVALID_PARAMETER, "07001");
        }
        if (message.contains("configuration has been locked") || message.contains("configuration option")) {
            return new Classified(EngineFailure.FORBIDDEN, "42501", "The engine's configuration is locked");
        }
        return new Classified(EngineFailure.EXECUTION, message.startsWith("division by zero") ? "22012" : "22023");
    }

    private static Classified outOfMemory(String message) {
        if (message.contains("max_temp_directory_size") || message.contains("temporary")) {
            return new Classified(
                    EngineFailure.MEMORY,
                    "53100",
                    "The engine's temporary space is used up; the query needs less data");
        }
        return new Classified(
                EngineFailure.MEMORY, "53200", "The query needs more memory than the engine's memory limit leaves");
    }

    private static Classified inputOutput(String message) {
        if (message.contains("no space left") || message.contains("temp_directory")) {
            return new Classified(EngineFailure.MEMORY, "53100", "The engine has no disk space left");
        }
        if (message.contains("no files found")) {
            return new Classified(EngineFailure.BINDING, "58P01", "No file matches the pattern");
        }
        return new Classified(EngineFailure.EXECUTION, "58030", "The engine could not read or write a file");
    }

    private static Classified lost() {
        return new Classified(EngineFailure.LOST, "08006", "The engine failed and has to be restarted");
    }

    private static Classified internal() {
        return new Classified(EngineFailure.INTERNAL, "XX000", "The engine failed on this statement");
    }

    /** Keeps what helps and drops what must not leave: excerpts of the statement, stacks, paths. */
    static String clean(String message) {
        String text = EXCERPT.matcher(message).replaceFirst("");
        text = STACK.matcher(text).replaceFirst("");
        text = LONG_ECHO.matcher(text).replaceFirst("");
        text = EXPRESSION.matcher(text).replaceFirst(".");
        text = CONFIGURATION.matcher(text).replaceFirst(".");
        text = PATH.matcher(text).replaceAll("...").strip();
        if (text.isEmpty()) {
            return "The engine failed on this statement";
        }
        return text.length() <= MAX_MESSAGE ? text : text.substring(0, MAX_MESSAGE) + " ...";
    }
}
