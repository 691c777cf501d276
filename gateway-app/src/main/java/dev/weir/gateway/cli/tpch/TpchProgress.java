package dev.weir.gateway.cli.tpch;

/** Told how far the generator is. Calls come one at a time, but from several threads; they must not block for long. */
public interface TpchProgress {

    TpchProgress NONE = new TpchProgress() {};

    /** The text that comments are cut from is being made, which takes some seconds. */
    default void preparing() {}

    /**
     * Rows handed to the database.
     *
     * @param table the table being filled
     * @param rows so far
     * @param expectedRows at the end; lineitem's is an estimate
     */
    default void rows(String table, long rows, long expectedRows) {}

    /** A table is complete, with this many rows. */
    default void tableDone(String table, long rows) {}
}
