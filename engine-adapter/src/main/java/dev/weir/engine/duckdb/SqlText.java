package dev.weir.engine.duckdb;

import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;

/**
 * A text as it goes to DuckDB, with the place of the client's statement in it.
 *
 * @param sql what DuckDB gets
 * @param prefix characters before the statement
 * @param length characters of the statement
 * @param offset where the statement began in the client's text
 */
record SqlText(String sql, int prefix, int length, int offset) {

    /** For statements that no client wrote. */
    static final Supplier<SqlText> OURS = () -> new SqlText("", 0, -1, 0);

    /** For a call that takes a thread like any statement, but has no text. */
    static final Supplier<SqlText> NONE = () -> OURS.get();

    static SqlText of(ScannedStatement statement) {
        return new SqlText(statement.text(), 0, statement.text().length(), statement.offset());
    }

    /** The statement with something before and behind it. */
    SqlText wrapped(String before, String behind) {
        return new SqlText(before + sql + behind, before.length() + prefix, length, offset);
    }

    /** Maps DuckDB's position, in bytes, to a character of the client's text; -1 when it lies outside. */
    int position(int bytes) {
        int at = 0;
        int seen = 0;
        while (at < sql.length() && seen < bytes) {
            int c = sql.codePointAt(at);
            at += Character.charCount(c);
            seen += c < 0x80 ? 1 : Character.toString(c).getBytes(StandardCharsets.UTF_8).length;
        }
        int relative = at - prefix;
        return relative >= 0 && relative <= length ? relative + offset : -1;
    }
}
