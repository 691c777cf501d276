package dev.weir.engine;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The table that rows go into.
 *
 * @param catalog null for the session's, or the engine's default
 * @param schema null for the session's, or {@code main} of the catalog that is given
 * @param table its name, any characters but NUL
 * @param temporary whether it is a table of the session alone
 */
public record IngestTarget(
        @Nullable String catalog, @Nullable String schema, String table, boolean temporary) {

    public IngestTarget {
        Objects.requireNonNull(table);
    }

    /** A table of the default schema. */
    public static IngestTarget of(String table) {
        return new IngestTarget(null, null, table, false);
    }
}
