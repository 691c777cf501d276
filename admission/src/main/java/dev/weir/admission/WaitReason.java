package dev.weir.admission;

/** The limit that holds a waiting query. */
public enum WaitReason {
    /** The global running cap. */
    MAX_RUNNING,
    /** The user's own running cap. */
    USER_MAX_RUNNING,
    /** The memory budget. */
    MEMORY,
    /** Nothing but its turn: others are ahead. */
    TURN
}
