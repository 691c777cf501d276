package dev.weir.admission;

/** Where a query may run. */
enum Slots {
    /** The slots for all queries. */
    ALL,
    /** The lane for short queries. */
    SHORT
}
