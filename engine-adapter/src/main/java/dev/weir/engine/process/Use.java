package dev.weir.engine.process;

/** For what a child is lent. */
enum Use {
    /** One query. */
    QUERY,
    /** One short query, of which only a part of the slots may be taken. */
    SHORT,
    /** Everything that needs no child of its own; not counted among the slots. */
    SHARED
}
