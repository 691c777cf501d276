package dev.weir.engine.duckdb;

import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.SessionStatement;
import dev.weir.engine.SessionStatement.Setting;
import dev.weir.engine.duckdb.SqlLexer.Kind;
import java.util.List;
import java.util.Set;

/** Reads the statements that act on their session. Used once. */
final class SessionStatements {

    private static final Set<String> SCHEMA_SETTINGS = Set.of("schema", "search_path");

    private final Tokens tokens;
    private final int limit;

    /** @param limit index behind the statement's last token */
    SessionStatements(Tokens tokens, int limit) {
        this.tokens = tokens;
        this.limit = limit;
    }

    /** BEGIN, START, COMMIT, END, ROLLBACK, ABORT or USE at {@code verb}. */
    SessionStatement of(int verb) {
        return switch (tokens.word(verb)) {
            case "BEGIN", "START" -> begin(verb);
            case "COMMIT", "END" -> ended(verb, new SessionStatement.Commit());
            case "USE" -> new Setting(Setting.Name.SCHEMA, names(verb + 1));
            default -> ended(verb, new SessionStatement.Rollback());
        };
    }

    private SessionStatement begin(int verb) {
        int i = verb + 1;
        if (tokens.isWord(i, "TRANSACTION") || tokens.isWord(i, "WORK")) {
            i++;
        } else if (tokens.isWord(verb, "START")) {
            throw syntax(verb + 1);
        }
        if (i == limit) {
            return new SessionStatement.Begin(false);
        }
        boolean readOnly = tokens.isWord(i + 1, "ONLY");
        if (!tokens.isWord(i, "READ") || !(readOnly || tokens.isWord(i + 1, "WRITE")) || i + 2 != limit) {
            throw syntax(i);
        }
        return new SessionStatement.Begin(readOnly);
    }

    private SessionStatement ended(int verb, SessionStatement what) {
        int i = verb + 1;
        if (tokens.isWord(i, "TO")) {
            throw unsupported("Savepoints are not offered; roll the whole transaction back");
        }
        if (tokens.isWord(i, "TRANSACTION") || tokens.isWord(i, "WORK")) {
            i++;
        }
        if (i != limit) {
            throw syntax(i);
        }
        return what;
    }

    /** SET or RESET, at {@code verb}, of what a session may set. */
    SessionStatement setting(int verb) {
        boolean reset = tokens.isWord(verb, "RESET");
        int i = verb + 1;
        if (tokens.isWord(i, "SESSION") || tokens.isWord(i, "LOCAL")) {
            i++;
        }
        String name = tokens.name(i);
        if (name.equals("variable")) {
            return new SessionStatement.Temporary();
        }
        if (name.equals("time") && tokens.isWord(i + 1, "ZONE")) {
            return new Setting(Setting.Name.TIME_ZONE, reset ? atEnd(i + 2) : zone(i + 2));
        }
        if (!name.equals("timezone") && !SCHEMA_SETTINGS.contains(name)) {
            throw locked();
        }
        int value = i + 1;
        if (!reset && (tokens.isSymbol(value, '=') || tokens.isWord(value, "TO"))) {
            value++;
        } else if (!reset) {
            throw syntax(value);
        }
        if (name.equals("timezone")) {
            return new Setting(Setting.Name.TIME_ZONE, reset ? atEnd(value) : zone(value));
        }
        return new Setting(Setting.Name.SCHEMA, reset ? atEnd(value) : path(value));
    }

    static EngineException locked() {
        return new EngineException(
                EngineFailure.FORBIDDEN,
                "The engine's configuration is locked; only search_path, schema, TimeZone and variables may be set, in a"
                        + " session",
                "42501",
                -1,
                null);
    }

    private List<String> atEnd(int i) {
        if (i < limit) {
            throw syntax(i);
        }
        return List.of();
    }

    private List<String> zone(int i) {
        if (tokens.isWord(i, "DEFAULT") || tokens.isWord(i, "LOCAL")) {
            return atEnd(i + 1);
        }
        String text = tokens.plainString(i);
        String zone = text == null ? tokens.name(i) : text;
        if (zone.isEmpty()) {
            throw syntax(i);
        }
        atEnd(i + 1);
        return List.of(zone);
    }

    /** The value of schema or search_path: a name, or a text with one name of one or two parts. */
    private List<String> path(int i) {
        if (tokens.isWord(i, "DEFAULT")) {
            return atEnd(i + 1);
        }
        String text = tokens.plainString(i);
        if (text == null) {
            return names(i);
        }
        atEnd(i + 1);
        Tokens inner = Tokens.of(text);
        return new SessionStatements(inner, inner.size()).names(0);
    }

    /** One name, or two with a dot between, up to the end. */
    private List<String> names(int from) {
        String first = name(from);
        if (from + 1 == limit) {
            return List.of(first);
        }
        if (tokens.isSymbol(from + 1, ',')) {
            throw unsupported("A search path of several schemas is not offered; name one, and qualify other names");
        }
        if (!isDot(tokens, from + 1)) {
            throw syntax(from + 1);
        }
        String second = name(from + 2);
        atEnd(from + 3);
        return List.of(first, second);
    }

    private String name(int i) {
        Kind kind = tokens.kind(i);
        String name = kind == Kind.WORD || kind == Kind.QUOTED ? tokens.name(i) : "";
        if (name.isEmpty() || i >= limit) {
            throw syntax(i);
        }
        return name;
    }

    /** Whether a name at {@code i} is qualified by the catalog of temporary objects. */
    static boolean isTemporary(Tokens tokens, int i) {
        Kind kind = tokens.kind(i);
        return (kind == Kind.WORD || kind == Kind.QUOTED) && tokens.name(i).equals("temp") && isDot(tokens, i + 1);
    }

    private static boolean isDot(Tokens tokens, int i) {
        return tokens.isDot(i) || tokens.isSymbol(i, '.');
    }

    private EngineException syntax(int i) {
        int position = i < tokens.size() ? tokens.start(i) : -1;
        return new EngineException(
                EngineFailure.SYNTAX, "The statement for the session is not understood", "42601", position, null);
    }

    private static EngineException unsupported(String message) {
        return new EngineException(EngineFailure.UNSUPPORTED, message, "0A000", -1, null);
    }
}
