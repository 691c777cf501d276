package dev.weir.admission;

/** Order among the waiting queries of one user; says nothing about other users' queries. */
public enum Priority {
    HIGH,
    NORMAL,
    LOW
}
