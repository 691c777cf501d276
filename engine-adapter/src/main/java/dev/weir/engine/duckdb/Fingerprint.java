package dev.weir.engine.duckdb;

import dev.weir.engine.duckdb.SqlLexer.Kind;

/**
 * Hashes the tokens of a statement so that texts that differ only in literals, case, white space and comments agree.
 * Lists of literals count as one literal, so that {@code IN (1, 2)} and {@code IN (1, 2, 3)} agree too.
 */
final class Fingerprint {

    private static final long OFFSET = 0xcbf29ce484222325L;
    private static final long PRIME = 0x100000001b3L;

    private final String sql;
    private long hash = OFFSET;
    private boolean afterLiteral;
    private boolean commaHeld;

    private Fingerprint(String sql) {
        this.sql = sql;
    }

    /** The fingerprint of the tokens from {@code from} to before {@code to}. */
    static long of(String sql, Tokens tokens, int from, int to) {
        Fingerprint fingerprint = new Fingerprint(sql);
        for (int i = from; i < to; i++) {
            fingerprint.take(tokens, i);
        }
        fingerprint.flush();
        return spread(fingerprint.hash);
    }

    private void take(Tokens tokens, int i) {
        Kind kind = tokens.kind(i);
        if (kind == Kind.STRING || (kind == Kind.NUMBER && !tokens.isDot(i))) {
            literal();
        } else if (tokens.isSymbol(i, ',') && afterLiteral && !commaHeld) {
            commaHeld = true;
        } else if (!isSign(tokens, i)) {
            flush();
            afterLiteral = false;
            text(tokens.start(i), tokens.end(i), kind == Kind.WORD);
        }
    }

    /** A minus that belongs to a literal in a list: {@code (-1, -2)}. */
    private static boolean isSign(Tokens tokens, int i) {
        return tokens.isSymbol(i, '-')
                && tokens.kind(i + 1) == Kind.NUMBER
                && (tokens.isSymbol(i - 1, '(') || tokens.isSymbol(i - 1, ',') || tokens.isSymbol(i - 1, '='));
    }

    private void literal() {
        if (commaHeld) {
            commaHeld = false;
            return;
        }
        afterLiteral = true;
        mix('?');
        mix(' ');
    }

    private void flush() {
        if (commaHeld) {
            commaHeld = false;
            mix(',');
            mix(' ');
        }
    }

    private void text(int from, int to, boolean fold) {
        for (int k = from; k < to; k++) {
            char c = sql.charAt(k);
            mix(fold && c >= 'A' && c <= 'Z' ? (char) (c + 32) : c);
        }
        mix(' ');
    }

    private void mix(char c) {
        hash = (hash ^ c) * PRIME;
    }

    /** Lets every bit of the text reach every bit of the hash. */
    private static long spread(long h) {
        long x = h;
        x = (x ^ (x >>> 33)) * 0xff51afd7ed558ccdL;
        x = (x ^ (x >>> 33)) * 0xc4ceb9fe1a85ec53L;
        return x ^ (x >>> 33);
    }
}
