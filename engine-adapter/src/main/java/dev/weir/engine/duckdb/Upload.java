package dev.weir.engine.duckdb;

import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;

/** What is wrong with an upload, as a failure for its client. */
final class Upload {

    private Upload() {}

    /** The bytes are not what Arrow's format or their schema says. */
    static EngineException corrupt(String what) {
        return new EngineException(
                EngineFailure.INVALID_PARAMETER, "The uploaded Arrow data is corrupt: " + what, "22023", -1, null);
    }

    /** As {@link #corrupt(String)}, in a column. */
    static EngineException corrupt(String column, String what) {
        return corrupt("column " + shown(column) + ": " + what);
    }

    /** Well-formed, but not taken. */
    static EngineException refused(String what) {
        return new EngineException(EngineFailure.INVALID_PARAMETER, what, "22023", -1, null);
    }

    /** A name as a message shows it: quoted, and not longer than anybody wants to read. */
    static String shown(String name) {
        return '"' + (name.length() > 64 ? name.substring(0, 64) + "..." : name) + '"';
    }
}
