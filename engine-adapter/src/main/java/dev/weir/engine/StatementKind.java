package dev.weir.engine;

/** What a statement does, as far as its words tell. */
public enum StatementKind {
    /** SELECT, WITH ... SELECT, VALUES, FROM, TABLE, PIVOT, UNPIVOT. */
    QUERY(Access.READ, true),
    /** EXPLAIN; EXPLAIN ANALYZE needs what the explained statement needs. */
    EXPLAIN(Access.READ, true),
    /** SHOW, DESCRIBE, SUMMARIZE. */
    SHOW(Access.READ, true),
    /** INSERT, UPDATE, DELETE, MERGE, TRUNCATE; with RETURNING they give rows. */
    DML(Access.WRITE, false),
    /** Rows that a client uploads in bulk; no statement is of this kind. */
    INGEST(Access.WRITE, false),
    /** CREATE, ALTER, DROP, COMMENT. */
    DDL(Access.WRITE, false),
    /** CHECKPOINT, VACUUM, ANALYZE, CALL, COPY within the allowed directories. */
    MAINTENANCE(Access.ADMIN, false),
    /** BEGIN, COMMIT, ROLLBACK, USE, SET, RESET, CREATE TEMP: they need a session and are refused without one. */
    SESSION(Access.READ, false);

    private final Access needs;
    private final boolean read;

    StatementKind(Access needs, boolean read) {
        this.needs = needs;
        this.read = read;
    }

    /** The least access for a plain statement of this kind. */
    public Access needs() {
        return needs;
    }

    /** Whether it only reads, so that it may be run again. */
    public boolean isRead() {
        return read;
    }
}
