package dev.weir.engine.duckdb;

import dev.weir.engine.Access;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.SessionStatement;
import dev.weir.engine.StatementKind;
import dev.weir.engine.duckdb.SqlLexer.Kind;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds the kind of one statement from its tokens. Used once. */
final class StatementClassifier {

    /**
     * What a statement is.
     *
     * @param returning whether it gives rows although it is no read
     * @param embeddable whether it may stand in brackets after FROM
     * @param session what it does to its session; null when it needs none
     */
    record Verdict(
            StatementKind kind,
            Access needs,
            boolean returning,
            boolean embeddable,
            @Nullable SessionStatement session) {

        static Verdict of(StatementKind kind) {
            return new Verdict(kind, kind.needs(), false, kind == StatementKind.QUERY, null);
        }

        static Verdict of(SessionStatement session) {
            return new Verdict(StatementKind.SESSION, Access.READ, false, false, session);
        }

        Verdict withRows() {
            return new Verdict(kind, needs, true, false, session);
        }

        /** What only touches temporary objects changes nothing that others see; the engine's transaction sees to that. */
        Verdict temporary() {
            return new Verdict(kind, Access.READ, returning, embeddable, new SessionStatement.Temporary());
        }
    }

    private static final Set<String> CHANGES = Set.of("INSERT", "UPDATE", "DELETE", "MERGE", "TRUNCATE");

    /** Pragmas that only tell what the catalog holds. */
    private static final Set<String> READING_PRAGMAS = Set.of(
            "table_info",
            "show_tables",
            "show_tables_expanded",
            "show_databases",
            "show",
            "version",
            "platform",
            "collations",
            "storage_info",
            "database_size",
            "metadata_info",
            "functions");

    private static final Set<String> QUERY_VERBS =
            Set.of("SELECT", "FROM", "VALUES", "TABLE", "PIVOT", "PIVOT_WIDER", "UNPIVOT", "PIVOT_LONGER");

    private final Tokens tokens;
    private final int to;
    private final FilePaths files;

    /**
     * @param to index behind the statement's last token
     * @param files what COPY may read and write
     */
    StatementClassifier(Tokens tokens, int to, FilePaths files) {
        this.tokens = tokens;
        this.to = to;
        this.files = files;
    }

    /** @throws EngineException FORBIDDEN for a kind that no role may run */
    Verdict classify(int from) {
        return judge(from, to);
    }

    private Verdict judge(int from, int limit) {
        Verdict outer = statement(from, limit);
        return outer.kind() == StatementKind.SESSION ? outer : withChangesInside(outer, from, limit);
    }

    /**
     * A changing statement may stand inside: {@code WITH x AS (INSERT ... RETURNING ...) SELECT ...}. Whatever else
     * begins a bracket as a statement would is judged as one too.
     */
    private Verdict withChangesInside(Verdict outer, int from, int limit) {
        Verdict verdict = outer;
        for (int i = from; i < limit; i++) {
            if (!tokens.isSymbol(i, '(') || tokens.kind(i + 1) != Kind.WORD || !afterAs(i)) {
                continue;
            }
            Verdict inner = statement(i + 1, Math.min(limit, tokens.behind(i)));
            if (!inner.kind().isRead() && namesSomething(i + 2)) {
                Access needs = inner.needs().covers(verdict.needs()) ? inner.needs() : verdict.needs();
                boolean rows = verdict.kind().isRead() || verdict.returning();
                StatementKind kind = verdict.kind().isRead() ? inner.kind() : verdict.kind();
                verdict = new Verdict(kind, needs, rows, false, verdict.session());
            }
        }
        return verdict;
    }

    private boolean afterAs(int bracket) {
        return tokens.isWord(bracket - 1, "AS") || tokens.isWord(bracket - 1, "MATERIALIZED");
    }

    /** Whether a token goes on as a statement would, and not as an expression with a column called {@code update}. */
    private boolean namesSomething(int i) {
        Kind kind = tokens.kind(i);
        if (kind == Kind.QUOTED || kind == Kind.STRING) {
            return true;
        }
        return kind == Kind.WORD
                && !Set.of("AND", "IS", "IN", "LIKE", "BETWEEN", "NOT").contains(tokens.word(i));
    }

    private Verdict statement(int from, int limit) {
        int i = from;
        while (tokens.isSymbol(i, '(')) {
            i++;
        }
        String word = i < limit ? tokens.word(i) : "";
        return switch (word) {
            case "WITH" -> afterCommonTables(i, limit);
            case "DESCRIBE", "DESC", "SHOW", "SUMMARIZE" -> Verdict.of(StatementKind.SHOW);
            case "EXPLAIN" -> explain(i + 1, limit);
            case "INSERT", "UPDATE", "DELETE", "MERGE", "TRUNCATE" -> change(i, limit);
            case "CREATE", "DROP", "ALTER", "COMMENT" -> definition(i);
            case "CHECKPOINT", "VACUUM", "ANALYZE", "ANALYSE" -> Verdict.of(StatementKind.MAINTENANCE);
            case "COPY" -> copy(i, limit);
            case "CALL" -> Verdict.of(StatementKind.MAINTENANCE).withRows();
            case "FORCE" -> force(i);
            case "PRAGMA" -> pragma(i);
            case "BEGIN", "START", "COMMIT", "END", "ROLLBACK", "ABORT", "USE" ->
                Verdict.of(new SessionStatements(tokens, limit).of(i));
            case "SET", "RESET" -> Verdict.of(new SessionStatements(tokens, limit).setting(i));
            case "ATTACH", "DETACH", "INSTALL", "LOAD", "EXPORT", "IMPORT", "PREPARE", "EXECUTE" -> throw denied(word);
            case "DEALLOCATE", "CONNECT", "DISCONNECT", "TAG", "REGISTER", "DESTROY" -> throw denied(word);
            // An expression by itself is a query to DuckDB; a misspelt word gets its syntax error there.
            default -> Verdict.of(StatementKind.QUERY);
        };
    }

    /** Judges what follows the list of common tables. */
    private Verdict afterCommonTables(int with, int limit) {
        int i = tokens.isWord(with + 1, "RECURSIVE") ? with + 2 : with + 1;
        do {
            i = behindCommonTable(i, limit);
            if (i < 0) {
                return changesAnywhere(with, limit);
            }
            if (!tokens.isSymbol(i, ',')) {
                return statement(i, limit);
            }
            i++;
        } while (!isTrailingComma(i));
        return statement(i, limit);
    }

    /**
     * Skips {@code name [(columns)] [USING KEY (...)] AS [[NOT] MATERIALIZED] (...)}.
     *
     * @return -1 when the tokens are something else
     */
    private int behindCommonTable(int from, int limit) {
        int i = from + 1;
        while (i < limit && !tokens.isWord(i, "AS")) {
            i = tokens.isSymbol(i, '(') ? tokens.behind(i) : i + 1;
        }
        i++;
        while (tokens.isWord(i, "NOT") || tokens.isWord(i, "MATERIALIZED")) {
            i++;
        }
        return i < limit && tokens.isSymbol(i, '(') ? tokens.behind(i) : -1;
    }

    /** DuckDB allows a comma behind the last common table. */
    private boolean isTrailingComma(int i) {
        String word = tokens.word(i);
        boolean verb = QUERY_VERBS.contains(word) || CHANGES.contains(word);
        return verb && !tokens.isWord(i + 1, "AS") && !tokens.isSymbol(i + 1, '(');
    }

    /** For a list of common tables that cannot be followed: changing as soon as a changing verb is in it. */
    private Verdict changesAnywhere(int from, int limit) {
        for (int i = from; i < limit; i++) {
            if (tokens.kind(i) == Kind.WORD && CHANGES.contains(tokens.word(i))) {
                return Verdict.of(StatementKind.DML).withRows();
            }
        }
        return Verdict.of(StatementKind.QUERY);
    }

    private Verdict explain(int from, int limit) {
        int i = from;
        boolean runs = false;
        if (tokens.isWord(i, "ANALYZE") || tokens.isWord(i, "ANALYSE")) {
            runs = true;
            i++;
        }
        if (tokens.isSymbol(i, '(') && isOptionList(i)) {
            int behind = tokens.behind(i);
            for (; i < behind; i++) {
                runs |= tokens.isWord(i, "ANALYZE") || tokens.isWord(i, "ANALYSE");
            }
        }
        if (tokens.isWord(i, "EXPLAIN")) {
            throw new EngineException(
                    EngineFailure.SYNTAX, "EXPLAIN cannot explain itself", "42601", tokens.start(i), null);
        }
        Verdict explained = judge(i, limit);
        // DuckDB refuses to plan a change in a read-only transaction, so explaining one needs the access to make it.
        boolean reads = !runs || explained.kind().isRead();
        return reads ? new Verdict(StatementKind.EXPLAIN, explained.needs(), false, false, null) : explained.withRows();
    }

    private boolean isOptionList(int bracket) {
        return tokens.isWord(bracket + 1, "ANALYZE")
                || tokens.isWord(bracket + 1, "ANALYSE")
                || tokens.isWord(bracket + 1, "FORMAT");
    }

    private Verdict change(int verb, int limit) {
        if (tokens.isWord(verb, "UPDATE") && tokens.isWord(verb + 1, "EXTENSIONS")) {
            throw denied("UPDATE EXTENSIONS");
        }
        Verdict verdict = Verdict.of(StatementKind.DML);
        if (SessionStatements.isTemporary(tokens, target(verb))) {
            verdict = verdict.temporary();
        }
        int i = verb;
        while (i < limit) {
            if (tokens.isWord(i, "RETURNING")) {
                return verdict.withRows();
            }
            i = tokens.isSymbol(i, '(') ? tokens.behind(i) : i + 1;
        }
        return verdict;
    }

    /** Where the table that is changed is named. */
    private int target(int verb) {
        int i = verb + 1;
        if (tokens.isWord(i, "OR")) {
            i += 2;
        }
        boolean particle = tokens.isWord(i, "INTO") || tokens.isWord(i, "FROM") || tokens.isWord(i, "TABLE");
        return particle ? i + 1 : i;
    }

    private Verdict definition(int verb) {
        int i = verb + 1;
        if (tokens.isWord(i, "OR")) {
            i += 2;
        }
        if (tokens.isWord(i, "TEMP") || tokens.isWord(i, "TEMPORARY")) {
            return Verdict.of(new SessionStatement.Temporary());
        }
        if (tokens.isWord(i, "PERSISTENT")) {
            i++;
        }
        String object = tokens.word(i);
        if (Set.of("SECRET", "EXTERNAL", "EXTENSION", "DATABASE").contains(object)) {
            throw denied(tokens.word(verb) + " " + object);
        }
        i++;
        if (tokens.isWord(i, "IF")) {
            i += tokens.isWord(i + 1, "NOT") ? 3 : 2;
        }
        Verdict verdict = Verdict.of(StatementKind.DDL);
        return SessionStatements.isTemporary(tokens, i) ? verdict.temporary() : verdict;
    }

    /** {@code COPY x FROM|TO 'file'}; {@code COPY FROM DATABASE a TO b} names no file. */
    private Verdict copy(int verb, int limit) {
        if (!tokens.isWord(verb + 2, "DATABASE")) {
            int i = verb + 1;
            while (i < limit && !tokens.isWord(i, "FROM") && !tokens.isWord(i, "TO")) {
                i = tokens.isSymbol(i, '(') ? tokens.behind(i) : i + 1;
            }
            files.checkPath(tokens, i + 1);
        }
        return Verdict.of(StatementKind.MAINTENANCE);
    }

    private Verdict force(int force) {
        if (tokens.isWord(force + 1, "CHECKPOINT")) {
            return Verdict.of(StatementKind.MAINTENANCE);
        }
        throw denied("FORCE " + tokens.word(force + 1));
    }

    private Verdict pragma(int pragma) {
        String name = tokens.name(pragma + 1);
        if (name.equals("import_database") || name.equals("copy_database")) {
            throw denied("PRAGMA " + name);
        }
        boolean reads = READING_PRAGMAS.contains(name) && !tokens.isSymbol(pragma + 2, '=');
        return reads
                ? Verdict.of(StatementKind.SHOW)
                : Verdict.of(StatementKind.MAINTENANCE).withRows();
    }

    private static EngineException denied(String what) {
        return new EngineException(
                EngineFailure.FORBIDDEN, what.trim() + " is not permitted to any role", "42501", -1, null);
    }
}
