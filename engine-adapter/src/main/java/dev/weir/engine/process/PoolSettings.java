package dev.weir.engine.process;

import dev.weir.engine.duckdb.DuckDbSettings;
import java.nio.file.Path;

/**
 * How queries run in processes of their own.
 *
 * @param engine what each process opens: a database read-only, or none but files; its memory limit is that of one query,
 *     its limit of temp files that of all processes together, its threads the most of one process
 * @param directory for the processes' own directories and what they run from; made if it is not there
 * @param slots most queries at once
 * @param shortSlots most of them that are short ones; more short ones share one further process
 * @param warm processes kept ready or in use, the shared one not counted
 * @param limitName the property that the engine's memory limit was taken from, for messages
 */
public record PoolSettings(
        DuckDbSettings engine, Path directory, int slots, int shortSlots, int warm, String limitName) {

    public PoolSettings {
        if (slots < 1 || shortSlots < 0 || warm < 0 || warm > slots) {
            throw new IllegalArgumentException("slots " + slots + ", short " + shortSlots + ", warm " + warm);
        }
        if (engine.database() != null && !engine.readOnly()) {
            throw new IllegalArgumentException("A database that is written has one owner, not a pool");
        }
    }
}
