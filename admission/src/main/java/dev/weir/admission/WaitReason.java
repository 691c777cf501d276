package dev.weir.admission;

/** The limit that holds a waiting query. */
public enum WaitReason {
    /** The global running cap. */
    MAX_RUNNING,
    /** The group's running cap. */
    GROUP_MAX_RUNNING,
    /** The user's own running cap. */
    USER_MAX_RUNNING,
    /** The memory budget. */
    MEMORY,
    /** The group's memory budget. */
    GROUP_MEMORY,
    /** Nothing is started while the machine's memory is short. */
    HELD,
    /** Nothing is started while no worker can take a query. */
    WORKERS,
    /** The engine had no place: its own backoff, or that of others who were sent back. */
    ENGINE,
    /** Nothing but its turn: others are ahead. */
    TURN
}
