package dev.weir.gateway.query;

import dev.weir.admission.AdmissionRejectedException;
import dev.weir.admission.Rejection;
import dev.weir.admission.WaitReason;
import dev.weir.engine.EngineException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns what engines and admission throw into what clients see. */
final class Failures {

    private static final Logger log = LoggerFactory.getLogger(Failures.class);

    private Failures() {}

    /**
     * @param thrown anything, wrapped or not
     * @param read whether the statement only reads: decides between ENGINE_LOST and OUTCOME_UNKNOWN
     */
    static GatewayException of(Throwable thrown, @Nullable String queryId, boolean read) {
        Throwable cause = unwrap(thrown);
        GatewayException failure;
        if (cause instanceof GatewayException known) {
            failure = known;
        } else if (cause instanceof EngineException engine) {
            failure = ofEngine(engine, read);
        } else if (cause instanceof AdmissionRejectedException rejected) {
            failure = ofRejection(rejected.rejection());
        } else {
            failure = internal(cause);
        }
        if (queryId == null || failure.details().queryId() != null) {
            return failure;
        }
        return new GatewayException(
                failure.code(), failure.text(), failure.details().withQueryId(queryId), failure.getCause());
    }

    static Throwable unwrap(Throwable thrown) {
        Throwable cause = thrown;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    static GatewayException internal(Throwable cause) {
        String errorId = UUID.randomUUID().toString();
        log.error("Internal error {}", errorId, cause);
        ErrorDetails details = new ErrorDetails(null, null, null, null, null, null, null, null, errorId);
        return new GatewayException(
                GatewayErrorCode.INTERNAL,
                "An internal error occurred; the gateway's log has it under the id " + errorId + ".",
                details,
                cause);
    }

    static GatewayException statementTimeout(String queryId, Duration timeout) {
        return new GatewayException(
                GatewayErrorCode.STATEMENT_TIMEOUT,
                "The statement ran longer than statement-timeout (" + timeout.toMillis()
                        + " ms) allows; narrow it, or ask for a longer timeout up to the configured maximum.",
                ErrorDetails.ofLimit("query", "statement-timeout", timeout.toMillis() + " ms")
                        .withQueryId(queryId));
    }

    static GatewayException clientStalled(String queryId, Duration allowed) {
        return new GatewayException(
                GatewayErrorCode.CLIENT_STALLED,
                "The client took less than one batch or 1 MiB within client-stall-timeout (" + allowed.toMillis()
                        + " ms); read faster, or run the query asynchronously and fetch its result later.",
                ErrorDetails.ofLimit("query", "client-stall-timeout", allowed.toMillis() + " ms")
                        .withQueryId(queryId));
    }

    private static GatewayException ofEngine(EngineException engine, boolean read) {
        GatewayErrorCode code = switch (engine.failure()) {
            case SYNTAX, BINDING -> GatewayErrorCode.INVALID_SQL;
            case INVALID_PARAMETER, UNSUPPORTED -> GatewayErrorCode.INVALID_REQUEST;
            case FORBIDDEN -> GatewayErrorCode.FORBIDDEN;
            case TOO_LARGE -> GatewayErrorCode.TOO_LARGE;
            case EXECUTION -> GatewayErrorCode.EXECUTION_FAILED;
            case WRITE_CONFLICT -> GatewayErrorCode.CONFLICT;
            case MEMORY -> GatewayErrorCode.MEMORY_LIMIT;
            case CANCELLED -> GatewayErrorCode.CANCELLED;
            case UNAVAILABLE -> GatewayErrorCode.ENGINE_UNAVAILABLE;
            case LOST -> read ? GatewayErrorCode.ENGINE_LOST : GatewayErrorCode.OUTCOME_UNKNOWN;
            case INTERNAL -> GatewayErrorCode.INTERNAL;
        };
        if (code == GatewayErrorCode.INTERNAL) {
            return internal(engine);
        }
        Boolean retryable = code == GatewayErrorCode.CONFLICT ? Boolean.TRUE : null;
        Duration retryAfter = code == GatewayErrorCode.ENGINE_UNAVAILABLE ? Duration.ofSeconds(1) : null;
        ErrorDetails details = new ErrorDetails(
                null,
                engine.sqlState(),
                engine.position() < 0 ? null : engine.position(),
                null,
                retryAfter,
                null,
                null,
                retryable,
                null);
        String message = engine.getMessage();
        return new GatewayException(code, message == null ? code.name() : message, details, engine);
    }

    private static GatewayException ofRejection(Rejection rejection) {
        if (rejection instanceof Rejection.QueueFull full) {
            return queueFull(full);
        }
        if (rejection instanceof Rejection.QueueTimeout timeout) {
            return queueTimeout(timeout);
        }
        if (rejection instanceof Rejection.MemoryTooLarge memory) {
            return new GatewayException(
                    GatewayErrorCode.INVALID_REQUEST,
                    "The query asks for " + memory.requestedBytes()
                            + " bytes of memory, more than memory.max-per-query (" + memory.maxBytes()
                            + " bytes) allows; ask for less.",
                    ErrorDetails.ofLimit("query", "memory.max-per-query", memory.maxBytes() + " B"));
        }
        return new GatewayException(
                GatewayErrorCode.DRAINING,
                "The gateway is shutting down and takes no new queries; try another replica, or again later.",
                new ErrorDetails(null, null, null, null, rejection.retryAfter(), null, null, null, null));
    }

    private static GatewayException queueFull(Rejection.QueueFull full) {
        boolean own = full.scope() == Rejection.Scope.USER;
        String name = own ? "user.max-queued" : "max-queued";
        ErrorDetails.Limit limit = new ErrorDetails.Limit(
                full.scope().name().toLowerCase(java.util.Locale.ROOT), name, Integer.toString(full.maxQueued()));
        String text = (own ? "Your queue is full: " : "The queue is full: ") + name + " is " + full.maxQueued()
                + "; try again in " + seconds(full.retryAfter()) + " s.";
        return new GatewayException(
                own ? GatewayErrorCode.USER_LIMIT : GatewayErrorCode.QUEUE_FULL,
                text,
                new ErrorDetails(null, null, null, limit, full.retryAfter(), full.retryAfter(), null, null, null));
    }

    private static GatewayException queueTimeout(Rejection.QueueTimeout timeout) {
        ErrorDetails.Limit limit = new ErrorDetails.Limit(
                "query", "queue-timeout", timeout.queueTimeout().toMillis() + " ms");
        String text = "The query waited " + timeout.queueTimeout().toMillis()
                + " ms (queue-timeout) and was not admitted; it was held by " + describe(timeout.limit())
                + " at position " + timeout.position() + ". Try again in " + seconds(timeout.retryAfter()) + " s.";
        return new GatewayException(
                GatewayErrorCode.QUEUE_TIMEOUT,
                text,
                new ErrorDetails(null, null, null, limit, timeout.retryAfter(), null, timeout.position(), null, null));
    }

    static String describe(WaitReason reason) {
        return switch (reason) {
            case MAX_RUNNING -> "max-running";
            case GROUP_MAX_RUNNING -> "group max-running";
            case USER_MAX_RUNNING -> "user.max-running";
            case MEMORY -> "memory.budget";
            case GROUP_MEMORY -> "group memory.budget";
            case HELD -> "the machine's memory";
            case TURN -> "the queries ahead of it";
        };
    }

    private static long seconds(Duration duration) {
        return Math.max(1, (duration.toMillis() + 999) / 1000);
    }
}
