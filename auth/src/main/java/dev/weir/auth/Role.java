package dev.weir.auth;

/** What a user may do; each role includes the ones before it. */
public enum Role {
    /** Run statements that read. */
    READER,
    /** Also change data and schema. */
    WRITER,
    /** Also maintain the database, see and cancel everybody's queries, and operate the gateway. */
    ADMIN;

    /** Whether this role includes {@code needed}. */
    public boolean includes(Role needed) {
        return compareTo(needed) >= 0;
    }
}
