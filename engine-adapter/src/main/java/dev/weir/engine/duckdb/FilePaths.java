package dev.weir.engine.duckdb;

import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.duckdb.SqlLexer.Kind;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;

/**
 * The files that statements may name: literally, and within the allowed directories.
 *
 * <p>DuckDB checks paths too, but always allows the database file and its write-ahead log. Reading them as a file
 * (by {@code read_blob}, {@code glob} and others, with any role) and closing them again drops the process's lock on the
 * database, as POSIX has it; another process could then open and damage it. So a path must be seen before it is used:
 * no parameter, no expression.
 *
 * @param directories absolute and normalised; the database is in none of them
 */
record FilePaths(List<Path> directories) {

    /** No file at all. */
    static final FilePaths NONE = new FilePaths(List.of());

    FilePaths(List<Path> directories) {
        this.directories = directories.stream()
                .map(path -> path.toAbsolutePath().normalize())
                .toList();
    }

    /** @throws EngineException FORBIDDEN when the token at {@code i} calls a file function with another path */
    void checkCall(Tokens tokens, int i) {
        if (!tokens.isSymbol(i + 1, '(') || !isFileFunction(tokens, i)) {
            return;
        }
        int behind = i + 2;
        if (tokens.isSymbol(behind, '[')) {
            do {
                behind++;
                checkPath(tokens, behind);
                behind++;
            } while (tokens.isSymbol(behind, ','));
            if (!tokens.isSymbol(behind, ']')) {
                throw notLiteral(tokens.start(i));
            }
        } else {
            checkPath(tokens, behind);
        }
        behind++;
        if (!tokens.isSymbol(behind, ',') && !tokens.isSymbol(behind, ')')) {
            throw notLiteral(tokens.start(i));
        }
    }

    private static boolean isFileFunction(Tokens tokens, int i) {
        Kind kind = tokens.kind(i);
        if (kind != Kind.WORD && kind != Kind.QUOTED) {
            return false;
        }
        String name = tokens.name(i);
        return name.startsWith("read_")
                || name.startsWith("parquet_")
                || name.startsWith("sniff_")
                || name.equals("glob");
    }

    /** @throws EngineException FORBIDDEN unless the token at {@code i} is a plain string with an allowed path */
    void checkPath(Tokens tokens, int i) {
        String text = tokens.plainString(i);
        if (text == null) {
            throw notLiteral(i < tokens.size() ? tokens.start(i) : -1);
        }
        if (!isAllowed(text)) {
            throw new EngineException(
                    EngineFailure.FORBIDDEN,
                    "The file is not within the directories that the gateway allows",
                    "42501",
                    tokens.start(i),
                    null);
        }
    }

    private boolean isAllowed(String text) {
        try {
            Path path = Path.of(text).toAbsolutePath().normalize();
            return directories.stream().anyMatch(directory -> path.startsWith(directory) && !path.equals(directory));
        } catch (InvalidPathException e) {
            return false;
        }
    }

    private static EngineException notLiteral(int position) {
        return new EngineException(
                EngineFailure.FORBIDDEN,
                "A file must be named by a plain string; parameters and expressions are not taken for paths",
                "42501",
                position,
                null);
    }
}
