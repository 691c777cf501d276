package dev.weir.gateway.query;

import dev.weir.admission.AdmissionRejectedException;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
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
        return of(thrown, queryId, read, null);
    }

    /**
     * @param inForce for the user, to name the limit that held a query; null beside the queue
     */
    static GatewayException of(
            Throwable thrown, @Nullable String queryId, boolean read, Refusals.@Nullable InForce inForce) {
        Throwable cause = unwrap(thrown);
        GatewayException failure;
        if (cause instanceof GatewayException known) {
            failure = known;
        } else if (cause instanceof EngineException engine) {
            failure = ofEngine(engine, read);
        } else if (cause instanceof AdmissionRejectedException rejected) {
            failure = Refusals.of(rejected.rejection(), inForce);
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
            case CONFLICT, WRITE_CONFLICT -> GatewayErrorCode.CONFLICT;
            case MEMORY -> GatewayErrorCode.MEMORY_LIMIT;
            case CANCELLED -> GatewayErrorCode.CANCELLED;
            case TIMED_OUT -> GatewayErrorCode.STATEMENT_TIMEOUT;
            case UNAVAILABLE, BUSY -> GatewayErrorCode.ENGINE_UNAVAILABLE;
            case LOST -> read ? GatewayErrorCode.ENGINE_LOST : GatewayErrorCode.OUTCOME_UNKNOWN;
            case INTERNAL -> GatewayErrorCode.INTERNAL;
        };
        if (code == GatewayErrorCode.INTERNAL) {
            return internal(engine);
        }
        Boolean retryable = engine.failure() == EngineFailure.WRITE_CONFLICT ? Boolean.TRUE : null;
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
}
