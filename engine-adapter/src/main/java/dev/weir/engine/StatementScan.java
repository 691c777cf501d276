package dev.weir.engine;

import org.jspecify.annotations.Nullable;

/**
 * What the lexical scan found.
 *
 * @param kind the statement's kind
 * @param needs the access it needs
 * @param fingerprint the statement with literals, case and white space normalised, hashed; equal for texts that differ
 *     only in those. For history and logs: it reveals no literal
 * @param hasReturning whether a changing statement has a RETURNING clause and so gives rows
 * @param session what it does to its session, without which it is refused; null for a statement that needs none
 */
public record StatementScan(
        StatementKind kind,
        Access needs,
        long fingerprint,
        boolean hasReturning,
        @Nullable SessionStatement session) {

    /** A statement that needs no session. */
    public StatementScan(StatementKind kind, Access needs, long fingerprint, boolean hasReturning) {
        this(kind, needs, fingerprint, hasReturning, null);
    }

    /** Whether the statement answers with rows (not just a count). */
    public boolean givesRows() {
        return kind.isRead() || hasReturning;
    }
}
