package dev.weir.engine.duckdb;

import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;

/**
 * Splits a text into DuckDB's tokens, by the rules of DuckDB's own tokenizer: what is a string to one must be a string
 * to the other, or a second statement could hide from the scan. Linear in the length of the text; not thread-safe.
 */
final class SqlLexer {

    /** What a token is. */
    enum Kind {
        /** An unquoted identifier or keyword. */
        WORD,
        /** An identifier in double quotes or backticks. */
        QUOTED,
        /** A string in any quoting. */
        STRING,
        NUMBER,
        /** A bracket, comma or operator. */
        SYMBOL,
        /** A semicolon. */
        TERMINATOR,
        /** The end of the text. */
        END
    }

    private final String sql;
    private int at;
    private int start;

    SqlLexer(String sql) {
        this.sql = sql;
    }

    /** Offset of the first character of the token that {@link #next()} gave. */
    int start() {
        return start;
    }

    /** Offset behind the last character of that token. */
    int end() {
        return at;
    }

    /** Moves to the next token. */
    Kind next() {
        skipSpaceAndComments();
        start = at;
        if (at >= sql.length()) {
            return Kind.END;
        }
        char c = sql.charAt(at);
        switch (c) {
            case '\'':
                return string(at + 1, false);
            case '"', '`':
                return quoted(c);
            case ';':
                at++;
                return Kind.TERMINATOR;
            case '$':
                return dollar();
            default:
                break;
        }
        if (isDigit(c) || c == '.') {
            return number();
        }
        if (isStringPrefix(c) && charAt(at + 1) == '\'') {
            return string(at + 2, c == 'e' || c == 'E');
        }
        if (isWordPart(c)) {
            return word();
        }
        return symbol(c);
    }

    private void skipSpaceAndComments() {
        while (at < sql.length()) {
            char c = sql.charAt(at);
            if (isSpace(c)) {
                at++;
            } else if (c == '-' && charAt(at + 1) == '-') {
                skipLine();
            } else if (c == '/' && charAt(at + 1) == '*') {
                skipBlock();
            } else {
                return;
            }
        }
    }

    private void skipLine() {
        while (at < sql.length() && sql.charAt(at) != '\n' && sql.charAt(at) != '\r') {
            at++;
        }
    }

    /** Block comments nest. */
    private void skipBlock() {
        int opened = at;
        int depth = 0;
        while (at < sql.length()) {
            if (sql.charAt(at) == '/' && charAt(at + 1) == '*') {
                depth++;
                at += 2;
            } else if (sql.charAt(at) == '*' && charAt(at + 1) == '/') {
                depth--;
                at += 2;
                if (depth == 0) {
                    return;
                }
            } else {
                at++;
            }
        }
        throw unterminated("comment", opened);
    }

    private Kind string(int from, boolean escapes) {
        int i = from;
        while (i < sql.length()) {
            char c = sql.charAt(i);
            if (escapes && c == '\\' && i + 1 < sql.length()) {
                i += 2;
            } else if (c != '\'') {
                i++;
            } else if (charAt(i + 1) == '\'') {
                i += 2;
            } else {
                at = i + 1;
                return Kind.STRING;
            }
        }
        throw unterminated("string", start);
    }

    private Kind quoted(char quote) {
        int i = at + 1;
        while (i < sql.length()) {
            if (sql.charAt(i) != quote) {
                i++;
            } else if (charAt(i + 1) == quote) {
                i += 2;
            } else {
                at = i + 1;
                return Kind.QUOTED;
            }
        }
        throw unterminated("quoted identifier", start);
    }

    /** A dollar quote, or the dollar of a parameter. */
    private Kind dollar() {
        if (isDigit(charAt(at + 1))) {
            at++;
            return Kind.SYMBOL;
        }
        int i = at + 1;
        while (i < sql.length() && isTagPart(sql.charAt(i))) {
            i++;
        }
        if (charAt(i) != '$') {
            at++;
            return Kind.SYMBOL;
        }
        String marker = sql.substring(at, i + 1);
        int close = sql.indexOf(marker, i + 1);
        if (close < 0) {
            throw unterminated("dollar-quoted string", start);
        }
        at = close + marker.length();
        return Kind.STRING;
    }

    /** Numbers swallow an exponent only if a digit stands before it: in {@code 1e'x'} the e belongs to the string. */
    private Kind number() {
        int i = at + 1;
        while (i < sql.length() && continuesNumber(i)) {
            i++;
        }
        while (!isDigit(sql.charAt(i - 1)) && sql.charAt(i - 1) != '.') {
            i--;
        }
        at = i;
        return Kind.NUMBER;
    }

    private boolean continuesNumber(int i) {
        char c = sql.charAt(i);
        char before = sql.charAt(i - 1);
        if (isDigit(c) || c == '.') {
            return true;
        }
        if (c == '_') {
            return isDigit(charAt(i + 1)) || charAt(i + 1) == '.';
        }
        if (isExponent(c)) {
            return !isExponent(before) && (isDigit(sql.charAt(at)) || isDigit(before));
        }
        return (c == '+' || c == '-') && isExponent(before);
    }

    private Kind word() {
        int i = at + 1;
        while (i < sql.length() && (sql.charAt(i) == '$' || isWordPart(sql.charAt(i)))) {
            i++;
        }
        at = i;
        return Kind.WORD;
    }

    private Kind symbol(char c) {
        at++;
        if (c == ':' && (charAt(at) == ':' || charAt(at) == '=')) {
            at++;
        } else if (isOperator(c)) {
            while (isOperator(charAt(at)) && !startsComment(at)) {
                at++;
            }
        }
        return Kind.SYMBOL;
    }

    private boolean startsComment(int i) {
        char c = charAt(i);
        return (c == '-' && charAt(i + 1) == '-') || (c == '/' && charAt(i + 1) == '*');
    }

    private char charAt(int i) {
        return i < sql.length() ? sql.charAt(i) : '\0';
    }

    /** White space to DuckDB, which takes the spaces of Unicode for spaces too. */
    static boolean isSpace(char c) {
        return c == ' ' || (c >= '\t' && c <= '\r') || isUnicodeSpace(c);
    }

    /** A space beyond ASCII, also those without width. */
    static boolean isUnicodeSpace(char c) {
        return c == '\u00a0'
                || c == '\u1680'
                || c == '\u180e'
                || (c >= '\u2000' && c <= '\u200d')
                || c == '\u2028'
                || c == '\u2029'
                || c == '\u202f'
                || c == '\u205f'
                || c == '\u2060'
                || c == '\u3000'
                || c == '\ufeff';
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static boolean isExponent(char c) {
        return c == 'e' || c == 'E';
    }

    private static boolean isStringPrefix(char c) {
        return "eExXbBnN".indexOf(c) >= 0;
    }

    private static boolean isTagPart(char c) {
        return isDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || isBeyondAscii(c);
    }

    private static boolean isBeyondAscii(char c) {
        return c >= '\u0080' && !isUnicodeSpace(c);
    }

    /** Every character that is no space, no quote, no bracket and no operator: control characters too. */
    private static boolean isWordPart(char c) {
        if (c >= '\u0080') {
            return !isUnicodeSpace(c);
        }
        return !isSpace(c) && (c < '!' || c == '\u007f' || isDigit(c) || isTagPart(c));
    }

    private static boolean isOperator(char c) {
        return "+-*/%^<>=~!@&|".indexOf(c) >= 0;
    }

    private static EngineException unterminated(String what, int position) {
        return new EngineException(EngineFailure.SYNTAX, "Unterminated " + what, "42601", position, null);
    }
}
