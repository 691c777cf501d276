package dev.weir.engine;

/**
 * What the lexical scan found.
 *
 * @param kind the statement's kind
 * @param needs the access it needs
 * @param fingerprint the statement with literals, case and white space normalised, hashed; equal for texts that differ
 *     only in those. For history and logs: it reveals no literal
 * @param hasReturning whether a changing statement has a RETURNING clause and so gives rows
 * @param ordered whether its rows have an order of their own: an ORDER BY that is not inside brackets
 */
public record StatementScan(StatementKind kind, Access needs, long fingerprint, boolean hasReturning, boolean ordered) {

    /** A statement whose rows have no order. */
    public StatementScan(StatementKind kind, Access needs, long fingerprint, boolean hasReturning) {
        this(kind, needs, fingerprint, hasReturning, false);
    }

    /** Whether the statement answers with rows (not just a count). */
    public boolean givesRows() {
        return kind.isRead() || hasReturning;
    }
}
