package dev.weir.engine.duckdb;

import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.duckdb.SqlLexer.Kind;
import java.util.Set;

/** Counts what becomes a join or a set operation: DuckDB's planner recurses into them. */
final class TableReferences {

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

    private TableReferences() {}

    /** @throws EngineException TOO_LARGE beyond {@link StatementScanner#MAX_JOINS} */
    static void check(Tokens tokens, int from, int to) {
        boolean[] inFrom = new boolean[Tokens.MAX_NESTING + 2];
        int depth = 0;
        int count = 0;
        for (int i = from; i < to; i++) {
            Kind kind = tokens.kind(i);
            if (kind == Kind.WORD) {
                if (tokens.isWord(i, "FROM")) {
                    inFrom[depth] = !tokens.isWord(i - 1, "DISTINCT");
                    continue;
                }
                String word = tokens.word(i);
                if (OPERATIONS.contains(word)) {
                    count++;
                }
                if (ENDS.contains(word)) {
                    inFrom[depth] = false;
                }
            } else if (kind == Kind.SYMBOL) {
                if (opens(tokens, i)) {
                    inFrom[++depth] = false;
                } else if (closes(tokens, i) && depth > 0) {
                    depth--;
                } else if (inFrom[depth] && tokens.isSymbol(i, ',')) {
                    count++;
                }
            }
            if (count > StatementScanner.MAX_JOINS) {
                throw new EngineException(
                        EngineFailure.TOO_LARGE,
                        "The statement has more than " + StatementScanner.MAX_JOINS
                                + " joins and set operations; split it",
                        "54001",
                        tokens.start(i),
                        null);
            }
        }
    }

    private static boolean opens(Tokens tokens, int i) {
        return tokens.isSymbol(i, '(') || tokens.isSymbol(i, '[') || tokens.isSymbol(i, '{');
    }

    private static boolean closes(Tokens tokens, int i) {
        return tokens.isSymbol(i, ')') || tokens.isSymbol(i, ']') || tokens.isSymbol(i, '}');
    }
}
