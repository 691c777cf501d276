package dev.weir.engine.duckdb;

import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.duckdb.SqlLexer.Kind;
import java.util.Set;

/**
 * Refuses statements on which DuckDB's parser or planner would recurse without end or compute for minutes, where nothing
 * can interrupt it. The figures were measured: 100,000 at-signs in a row end the process even on a 64 MiB stack, twenty
 * lambdas inside each other plan for a minute, and so do a type of sixteen array dimensions or thousands of dots.
 */
final class StatementLimits {

    /** Most prefix operators on the way down to any place of the text. */
    static final int MAX_PREFIXES = 1000;
    /** Most lambdas inside each other: each doubles the planning time. */
    static final int MAX_LAMBDAS = 10;
    /** Most names with dots between them. */
    static final int MAX_DOTS = 200;
    /** Most fixed array dimensions (or numeric subscripts) in a row. */
    static final int MAX_DIMENSIONS = 8;

    private static final Set<String> OPERATIONS = Set.of("JOIN", "UNION", "EXCEPT", "INTERSECT");

    /** Words that end the list of tables after FROM. */
    private static final Set<String> ENDS = Set.of(
            "WHERE",
            "GROUP",
            "HAVING",
            "WINDOW",
            "QUALIFY",
            "ORDER",
            "LIMIT",
            "OFFSET",
            "FETCH",
            "SELECT",
            "UNION",
            "EXCEPT",
            "INTERSECT",
            "USING",
            "RETURNING",
            "SET");

    private final Tokens tokens;
    private final boolean[] inFrom = new boolean[Tokens.MAX_NESTING + 2];
    private final int[] prefixesBelow = new int[Tokens.MAX_NESTING + 2];
    private final int[] lambdasBelow = new int[Tokens.MAX_NESTING + 2];
    private int depth;
    private int joins;
    private int prefixes;
    private int lambdas;
    private int dots;
    private int dimensions;

    private StatementLimits(Tokens tokens) {
        this.tokens = tokens;
    }

    /** @throws EngineException TOO_LARGE, saying which limit */
    static void check(Tokens tokens, int from, int to) {
        StatementLimits limits = new StatementLimits(tokens);
        for (int i = from; i < to; i++) {
            limits.take(i);
        }
    }

    private void take(int i) {
        Kind kind = tokens.kind(i);
        if (kind == Kind.WORD) {
            word(i);
        } else if (kind == Kind.SYMBOL) {
            symbol(i);
        } else if (!tokens.isDot(i)) {
            prefixes = prefixesBelow[depth];
        }
        dots(i);
        limit(joins, StatementScanner.MAX_JOINS, "joins and set operations");
        limit(prefixes, MAX_PREFIXES, "prefix operators inside each other");
        limit(lambdas, MAX_LAMBDAS, "lambdas inside each other");
        limit(dots, MAX_DOTS, "names joined by dots");
        limit(dimensions, MAX_DIMENSIONS, "array dimensions or subscripts in a row");
    }

    private void word(int i) {
        if (tokens.isWord(i, "NOT")) {
            prefixes++;
            return;
        }
        prefixes = prefixesBelow[depth];
        if (tokens.isWord(i, "FROM")) {
            inFrom[depth] = !tokens.isWord(i - 1, "DISTINCT");
        } else if (tokens.isWord(i, "LAMBDA")) {
            lambdas++;
        } else {
            String word = tokens.word(i);
            if (OPERATIONS.contains(word)) {
                joins++;
            }
            if (ENDS.contains(word)) {
                inFrom[depth] = false;
            }
        }
    }

    private void symbol(int i) {
        if (opens(i)) {
            depth++;
            inFrom[depth] = false;
            prefixesBelow[depth] = prefixes;
            lambdasBelow[depth] = lambdas;
            if (!isDimension(i)) {
                dimensions = 0;
            }
        } else if (closes(i)) {
            close(i);
        } else if (tokens.isSymbol(i, ',')) {
            prefixes = prefixesBelow[depth];
            lambdas = lambdasBelow[depth];
            if (inFrom[depth]) {
                joins++;
            }
        } else {
            prefixes += tokens.end(i) - tokens.start(i);
        }
    }

    private void close(int i) {
        if (depth > 0) {
            lambdas = lambdasBelow[depth];
            depth--;
        }
        prefixes = prefixesBelow[depth];
        if (isDimension(i - 2)) {
            dimensions++;
            if (!tokens.isSymbol(i + 1, '[')) {
                dimensions = 0;
            }
        }
    }

    /** Whether a bracket begins {@code [number]}. */
    private boolean isDimension(int i) {
        return tokens.isSymbol(i, '[') && tokens.kind(i + 1) == Kind.NUMBER && tokens.isSymbol(i + 2, ']');
    }

    private void dots(int i) {
        if (tokens.isDot(i)) {
            dots++;
        } else if (!tokens.isDot(i + 1)) {
            dots = 0;
        }
    }

    private static void limit(int count, int most, String what) {
        if (count > most) {
            throw new EngineException(
                    EngineFailure.TOO_LARGE,
                    "The statement has more than " + most + " " + what + "; simplify it",
                    "54001",
                    -1,
                    null);
        }
    }

    private boolean opens(int i) {
        return tokens.isSymbol(i, '(') || tokens.isSymbol(i, '[') || tokens.isSymbol(i, '{');
    }

    private boolean closes(int i) {
        return tokens.isSymbol(i, ')') || tokens.isSymbol(i, ']') || tokens.isSymbol(i, '}');
    }
}
