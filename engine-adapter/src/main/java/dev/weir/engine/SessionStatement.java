package dev.weir.engine;

import java.util.List;

/** What a statement does to its session; such a statement is refused where there is none. */
public sealed interface SessionStatement {

    /** BEGIN, START TRANSACTION. */
    record Begin(boolean readOnly) implements SessionStatement {}

    /** COMMIT, END. */
    record Commit() implements SessionStatement {}

    /** ROLLBACK, ABORT. */
    record Rollback() implements SessionStatement {}

    /**
     * USE, SET and RESET of the schema or the time zone.
     *
     * @param name what is set
     * @param value one or two names for {@link Name#SCHEMA} (the first of two is the catalog), the zone for
     *     {@link Name#TIME_ZONE}; empty for the engine's default
     */
    record Setting(Name name, List<String> value) implements SessionStatement {

        /** What a session's settings hold. */
        public enum Name {
            SCHEMA,
            TIME_ZONE
        }

        public Setting {
            value = List.copyOf(value);
        }
    }

    /** Makes, changes or drops something that the connection owns: a temporary object or a variable. */
    record Temporary() implements SessionStatement {}
}
