package dev.weir.engine;

/** What a bulk ingest does with its table. */
public enum IngestMode {
    /** Makes the table; fails when there is one. */
    CREATE,
    /** Adds to a table; fails when there is none. */
    APPEND,
    /** Drops the table, if there is one, and makes it anew; in one transaction with the rows. */
    REPLACE,
    /** Adds to the table, and makes it when there is none. */
    CREATE_APPEND
}
