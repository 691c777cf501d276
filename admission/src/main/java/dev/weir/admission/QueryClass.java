package dev.weir.admission;

/** What is expected of a query's run time; decides where it may run. */
public enum QueryClass {
    /** Runs like it were short before: takes a place in the lane for short queries. */
    SHORT,
    /** Nothing is known: takes one of few places in the lane, on probation. */
    UNKNOWN,
    /** Expected to take longer, or declared so: runs in the slots for all. */
    HEAVY
}
