package dev.weir.engine.duckdb;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Which rows have a value.
 *
 * @param bits one for each row; null when all have one, or none has
 * @param all whether all have one; looked at without bits only
 */
record Validity(@Nullable ByteBuffer bits, boolean all) {

    boolean has(int row) {
        ByteBuffer mask = bits;
        return mask == null ? all : (mask.get(row >> 3) >> (row & 7) & 1) != 0;
    }

    /** Whether no row has a value, so that nothing needs to be looked at. */
    boolean none() {
        return bits == null && !all;
    }
}
