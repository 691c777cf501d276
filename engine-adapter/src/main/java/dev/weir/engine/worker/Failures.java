package dev.weir.engine.worker;

import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Failures that a worker finds itself, and those of engines as they must be. */
final class Failures {

    private static final Logger log = LoggerFactory.getLogger(Failures.class);

    private Failures() {}

    static EngineException cancelled() {
        return new EngineException(EngineFailure.CANCELLED, "The query was cancelled", "57014", -1, null);
    }

    static EngineException timedOut() {
        return new EngineException(
                EngineFailure.TIMED_OUT, "The query ran past its statement timeout", "57014", -1, null);
    }

    static EngineException abandoned() {
        return new EngineException(
                EngineFailure.LOST, "The worker did not hear of the query's gateway any more", "08006", -1, null);
    }

    static EngineException stopping() {
        return new EngineException(EngineFailure.LOST, "The worker was stopped", "08006", -1, null);
    }

    static EngineException unknown() {
        return new EngineException(
                EngineFailure.LOST, "The worker does not hold the rest of the result any more", "08006", -1, null);
    }

    static EngineException draining() {
        return new EngineException(
                EngineFailure.UNAVAILABLE, "The worker is draining and takes no new queries", "57P03", -1, null);
    }

    static EngineException busy(String what) {
        return new EngineException(EngineFailure.BUSY, "The worker has no free " + what, "53300", -1, null);
    }

    static EngineException protocol(int worker, int gateway) {
        return new EngineException(
                EngineFailure.UNAVAILABLE,
                "The worker speaks protocol version " + worker + ", the gateway version " + gateway,
                "57P03",
                -1,
                null);
    }

    static EngineException malformed() {
        return new EngineException(EngineFailure.INTERNAL, "The worker cannot read the command", "XX000", -1, null);
    }

    static EngineException dictionaries() {
        return new EngineException(
                EngineFailure.UNSUPPORTED,
                "The result has dictionary-encoded columns, which workers cannot send",
                "0A000",
                -1,
                null);
    }

    static EngineException tooLarge() {
        return new EngineException(
                EngineFailure.TOO_LARGE, "A batch of the result is larger than a message may be", "54000", -1, null);
    }

    /** The same, in the log when it is a fault. */
    static EngineException logged(String label, Throwable thrown) {
        EngineException known = of(thrown);
        if (known != thrown) {
            log.error("{}: failed", label, thrown);
        }
        return known;
    }

    /** What an engine failed with; anything but its own exception is a fault. */
    static EngineException of(Throwable thrown) {
        Throwable cause = thrown;
        if (thrown instanceof CompletionException && thrown.getCause() != null) {
            cause = thrown.getCause();
        }
        return cause instanceof EngineException failure
                ? failure
                : new EngineException(EngineFailure.INTERNAL, "The worker failed on this query", "XX000", -1, cause);
    }
}
