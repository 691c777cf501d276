package dev.weir.gateway.query;

import dev.weir.admission.RunPermit;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.StatementScan;
import org.jspecify.annotations.Nullable;

/** What becomes of a query after an engine failed it before it gave anything to its reader. */
enum Rerun {
    /** The query fails. */
    NONE,
    /** The engine had no place and started nothing: it is tried again. */
    BUSY,
    /** It failed only because less was reserved for it than the default: it runs once more, with that. */
    MORE_MEMORY;

    /**
     * @param held the permit under which it failed; null when it is closed
     * @param scan null while the statement is unknown
     */
    static Rerun after(Throwable thrown, @Nullable RunPermit held, @Nullable StatementScan scan) {
        if (!(Failures.unwrap(thrown) instanceof EngineException engine)) {
            return NONE;
        }
        if (engine.failure() == EngineFailure.BUSY) {
            return BUSY;
        }
        boolean learned = held != null
                && held.hasLearnedReservation()
                && scan != null
                && scan.kind().isRead();
        return learned && engine.failure() == EngineFailure.MEMORY ? MORE_MEMORY : NONE;
    }
}
