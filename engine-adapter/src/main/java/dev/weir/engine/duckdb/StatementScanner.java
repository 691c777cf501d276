package dev.weir.engine.duckdb;

import dev.weir.engine.Access;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.QueryEngine;
import dev.weir.engine.StatementKind;
import dev.weir.engine.StatementScan;
import dev.weir.engine.duckdb.ScannedStatement.Shape;
import dev.weir.engine.duckdb.SqlLexer.Kind;
import java.util.Set;

/**
 * Reads a text before DuckDB does: refuses what must not reach native code and finds what the statement is. Linear in
 * the length of the text, no native call, throws nothing but {@link EngineException}. Stateless and thread-safe.
 */
final class StatementScanner {

    /** Longest text, in characters: 1 MiB. */
    static final int MAX_LENGTH = 1 << 20;

    /** Most joins, set operations and commas between tables. */
    static final int MAX_JOINS = 300;

    /** Longest statement that may be a constant, in tokens: it is planned as it stands. */
    private static final int MAX_CONSTANT_TOKENS = 64;

    private static final Set<String> BEYOND_CONSTANTS = Set.of(
            "FROM",
            "INTO",
            "TABLE",
            "WITH",
            "VALUES",
            "UNION",
            "EXCEPT",
            "INTERSECT",
            "PIVOT",
            "PIVOT_WIDER",
            "PIVOT_LONGER",
            "UNPIVOT",
            "SUMMARIZE",
            "DESCRIBE",
            "SHOW",
            "USING",
            "WINDOW",
            "QUALIFY");

    private StatementScanner() {}

    /** Scans a text that may name no file. */
    static ScannedStatement scan(String sql) {
        return scan(sql, FilePaths.NONE);
    }

    /**
     * Scans a text.
     *
     * @throws EngineException as {@link QueryEngine#scan} says
     */
    static ScannedStatement scan(String sql, FilePaths files) {
        if (sql.length() > MAX_LENGTH) {
            throw new EngineException(
                    EngineFailure.TOO_LARGE,
                    "The statement has " + sql.length() + " characters; the limit is " + MAX_LENGTH,
                    "54000",
                    -1,
                    null);
        }
        checkCharacters(sql);
        Tokens tokens = Tokens.of(sql);
        int from = 0;
        while (tokens.kind(from) == Kind.TERMINATOR) {
            from++;
        }
        if (from == tokens.size()) {
            throw syntax("The statement is empty", -1);
        }
        int to = endOfStatement(tokens, from);
        StatementLimits.check(tokens, from, to);
        StatementClassifier.Verdict verdict = new StatementClassifier(tokens, to, files).classify(from);
        Access needs = max(verdict.needs(), accessOfNames(tokens, from, to, files));
        StatementScan scan = new StatementScan(
                verdict.kind(),
                needs,
                Fingerprint.of(sql, tokens, from, to),
                verdict.returning(),
                verdict.session(),
                isOrdered(tokens, from, to));
        int offset = tokens.start(from);
        return new ScannedStatement(
                scan,
                plainSpaces(sql, tokens, from, to),
                offset,
                shape(verdict, tokens, from),
                isConstant(tokens, from, to));
    }

    /**
     * Tables come behind FROM, or in the other half of a set operation; functions come before brackets. Operators and words
     * like CURRENT_DATE have no effect.
     */
    private static boolean isConstant(Tokens tokens, int from, int to) {
        if (!tokens.isWord(from, "SELECT") || to - from > MAX_CONSTANT_TOKENS) {
            return false;
        }
        for (int i = from + 1; i < to; i++) {
            if (tokens.kind(i) == Kind.WORD && BEYOND_CONSTANTS.contains(tokens.word(i))) {
                return false;
            }
            if (tokens.isSymbol(i, '(') || tokens.isSymbol(i, '[') || tokens.isSymbol(i, '{')) {
                return false;
            }
        }
        return true;
    }

    /** NUL ends a text for C, and half a surrogate pair would become a question mark: a parameter. */
    private static void checkCharacters(String sql) {
        for (int i = 0; i < sql.length(); i++) {
            char c = sql.charAt(i);
            if (c == '\0') {
                throw syntax("The statement contains a NUL character", i);
            }
            if (Character.isSurrogate(c)) {
                boolean pair = Character.isHighSurrogate(c)
                        && i + 1 < sql.length()
                        && Character.isLowSurrogate(sql.charAt(i + 1));
                if (!pair) {
                    throw syntax("The statement is not valid Unicode", i);
                }
                i++;
            }
        }
    }

    private static int endOfStatement(Tokens tokens, int from) {
        int to = from;
        while (to < tokens.size() && tokens.kind(to) != Kind.TERMINATOR) {
            to++;
        }
        for (int i = to; i < tokens.size(); i++) {
            if (tokens.kind(i) != Kind.TERMINATOR) {
                throw syntax(
                        "Only one statement may be sent at a time; a second one begins at character "
                                + (tokens.start(i) + 1),
                        tokens.start(i));
            }
        }
        return to;
    }

    private static Access accessOfNames(Tokens tokens, int from, int to, FilePaths files) {
        Access needs = Access.READ;
        for (int i = from; i < to; i++) {
            files.checkCall(tokens, i);
            switch (DeniedNames.of(tokens, i)) {
                case NOBODY ->
                    throw new EngineException(
                            EngineFailure.FORBIDDEN,
                            "Function " + tokens.name(i) + " is not available here",
                            "42501",
                            tokens.start(i),
                            null);
                case ADMIN -> needs = Access.ADMIN;
                case ALLOWED -> {}
            }
        }
        return needs;
    }

    /** Whether an ORDER BY stands outside of brackets, or of those around the whole statement. */
    private static boolean isOrdered(Tokens tokens, int from, int to) {
        int first = from;
        int end = to;
        while (tokens.isSymbol(first, '(') && tokens.behind(first) == end) {
            first++;
            end--;
        }
        for (int i = first; i < end; i++) {
            if (tokens.isWord(i, "ORDER") && tokens.isWord(i + 1, "BY")) {
                return true;
            }
            if (tokens.isSymbol(i, '(') || tokens.isSymbol(i, '[') || tokens.isSymbol(i, '{')) {
                i = tokens.behind(i) - 1;
            }
        }
        return false;
    }

    private static Access max(Access a, Access b) {
        return a.covers(b) ? a : b;
    }

    private static Shape shape(StatementClassifier.Verdict verdict, Tokens tokens, int from) {
        if (verdict.embeddable()) {
            return Shape.RELATION;
        }
        boolean returning = verdict.returning() && !tokens.isWord(from, "WITH") && !tokens.isWord(from, "EXPLAIN");
        return returning && verdict.kind() == StatementKind.DML ? Shape.RETURNING : Shape.OPAQUE;
    }

    /**
     * The statement's own characters. Spaces of Unicode between tokens become ASCII spaces, so that DuckDB cannot see
     * other tokens than this scan did.
     */
    private static String plainSpaces(String sql, Tokens tokens, int from, int to) {
        int begin = tokens.start(from);
        int end = tokens.end(to - 1);
        boolean plain = true;
        for (int i = begin; plain && i < end; i++) {
            plain = !SqlLexer.isUnicodeSpace(sql.charAt(i));
        }
        if (plain) {
            return sql.substring(begin, end);
        }
        StringBuilder text = new StringBuilder(sql.substring(begin, end));
        for (int t = from + 1; t < to; t++) {
            for (int i = tokens.end(t - 1); i < tokens.start(t); i++) {
                if (SqlLexer.isUnicodeSpace(sql.charAt(i))) {
                    text.setCharAt(i - begin, ' ');
                }
            }
        }
        return text.toString();
    }

    private static EngineException syntax(String message, int position) {
        return new EngineException(EngineFailure.SYNTAX, message, "42601", position, null);
    }
}
