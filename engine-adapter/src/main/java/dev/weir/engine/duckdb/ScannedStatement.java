package dev.weir.engine.duckdb;

import dev.weir.engine.StatementScan;

/**
 * A statement that passed the scan.
 *
 * @param scan what callers may know
 * @param text the statement alone: no comments around it, no semicolon behind it, only ASCII spaces outside quotes
 * @param offset where {@code text} begins in the text that was scanned
 * @param shape how the statement may be embedded in another
 * @param constant whether it is a short SELECT that can name no table and call no function that has an effect, like
 *     {@code SELECT 1}
 */
record ScannedStatement(StatementScan scan, String text, int offset, Shape shape, boolean constant) {

    /** How a statement can be made part of a larger one. */
    enum Shape {
        /** {@code FROM (text)} is possible. */
        RELATION,
        /** {@code WITH x AS (text)} is possible: a changing statement with RETURNING. */
        RETURNING,
        /** Neither. */
        OPAQUE
    }
}
