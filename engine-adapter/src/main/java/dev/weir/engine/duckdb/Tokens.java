package dev.weir.engine.duckdb;

import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.duckdb.SqlLexer.Kind;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The tokens of one text, with the partner of each bracket. Refuses texts that nest too deep. */
final class Tokens {

    /** Deeper nesting is refused; DuckDB's parser and binder recurse. */
    static final int MAX_NESTING = 200;

    private final String sql;
    private Kind[] kinds = new Kind[64];
    private int[] starts = new int[64];
    private int[] ends = new int[64];
    /** Of an opening bracket the index of its partner, of everything else -1. */
    private int[] partners = new int[64];

    private int size;

    private Tokens(String sql) {
        this.sql = sql;
    }

    /** @throws EngineException SYNTAX for an open string or comment, TOO_LARGE for too deep nesting */
    static Tokens of(String sql) {
        Tokens tokens = new Tokens(sql);
        SqlLexer lexer = new SqlLexer(sql);
        int[] open = new int[MAX_NESTING];
        int depth = 0;
        Kind kind;
        while ((kind = lexer.next()) != Kind.END) {
            int index = tokens.add(kind, lexer.start(), lexer.end());
            if (kind != Kind.SYMBOL || lexer.end() - lexer.start() != 1) {
                continue;
            }
            char c = sql.charAt(lexer.start());
            if (c == '(' || c == '[' || c == '{') {
                if (depth == MAX_NESTING) {
                    throw new EngineException(
                            EngineFailure.TOO_LARGE,
                            "The statement nests deeper than " + MAX_NESTING + " brackets; simplify it",
                            "54001",
                            lexer.start(),
                            null);
                }
                open[depth++] = index;
            } else if ((c == ')' || c == ']' || c == '}') && depth > 0) {
                tokens.partners[open[--depth]] = index;
            }
        }
        return tokens;
    }

    private int add(Kind kind, int start, int end) {
        if (size == kinds.length) {
            int larger = size * 2;
            kinds = Arrays.copyOf(kinds, larger);
            starts = Arrays.copyOf(starts, larger);
            ends = Arrays.copyOf(ends, larger);
            partners = Arrays.copyOf(partners, larger);
        }
        kinds[size] = kind;
        starts[size] = start;
        ends[size] = end;
        partners[size] = -1;
        return size++;
    }

    int size() {
        return size;
    }

    Kind kind(int i) {
        return i >= 0 && i < size ? kinds[i] : Kind.END;
    }

    int start(int i) {
        return starts[i];
    }

    int end(int i) {
        return ends[i];
    }

    /** Index behind the bracket that closes the one at {@code i}; the size when it is never closed. */
    int behind(int i) {
        return partners[i] < 0 ? size : partners[i] + 1;
    }

    boolean isSymbol(int i, char c) {
        return kind(i) == Kind.SYMBOL && ends[i] - starts[i] == 1 && sql.charAt(starts[i]) == c;
    }

    /** Whether the token at {@code i} is the dot between two names, which DuckDB takes for a number. */
    boolean isDot(int i) {
        return kind(i) == Kind.NUMBER && ends[i] - starts[i] == 1 && sql.charAt(starts[i]) == '.';
    }

    /** The unquoted word at {@code i} in upper case; empty for any other token. */
    String word(int i) {
        return kind(i) == Kind.WORD && ends[i] - starts[i] <= 64
                ? sql.substring(starts[i], ends[i]).toUpperCase(Locale.ROOT)
                : "";
    }

    boolean isWord(int i, String word) {
        return kind(i) == Kind.WORD
                && ends[i] - starts[i] == word.length()
                && sql.regionMatches(true, starts[i], word, 0, word.length());
    }

    /** The identifier or string at {@code i} without its quotes, in lower case; empty for any other token. */
    String name(int i) {
        Kind kind = kind(i);
        if (kind == Kind.END || ends[i] - starts[i] > 130) {
            return "";
        }
        String text = sql.substring(starts[i], ends[i]);
        if (kind == Kind.WORD) {
            return text.toLowerCase(Locale.ROOT);
        }
        if (kind == Kind.QUOTED) {
            String quote = text.substring(0, 1);
            return text.substring(1, text.length() - 1)
                    .replace(quote + quote, quote)
                    .toLowerCase(Locale.ROOT);
        }
        return kind == Kind.STRING ? stringContent(text).toLowerCase(Locale.ROOT) : "";
    }

    /** The content of an ordinary {@code '...'} or dollar-quoted string at {@code i}; null for any other token. */
    @Nullable
    String plainString(int i) {
        if (kind(i) != Kind.STRING) {
            return null;
        }
        String text = sql.substring(starts[i], ends[i]);
        char first = text.charAt(0);
        return first == '\'' || first == '$' ? stringContent(text).replace("''", "'") : null;
    }

    private static String stringContent(String text) {
        if (text.charAt(0) == '$') {
            int marker = text.indexOf('$', 1) + 1;
            return text.substring(marker, text.length() - marker);
        }
        return text.substring(text.indexOf('\'') + 1, text.length() - 1);
    }
}
