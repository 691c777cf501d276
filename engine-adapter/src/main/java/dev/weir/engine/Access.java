package dev.weir.engine;

/** What a caller may do to an engine; each value includes the ones before it. */
public enum Access {
    /** Read data. */
    READ,
    /** Change data and schema. */
    WRITE,
    /** Maintain the database: checkpoint, vacuum, copy to and from the configured directories. */
    ADMIN;

    /** Whether this access covers {@code needed}. */
    public boolean covers(Access needed) {
        return compareTo(needed) >= 0;
    }
}
