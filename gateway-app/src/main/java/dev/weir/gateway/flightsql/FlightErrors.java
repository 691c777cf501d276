package dev.weir.gateway.flightsql;

import com.google.protobuf.Any;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import dev.weir.auth.AuthenticationFailedException;
import dev.weir.auth.token.TicketRefusedException;
import dev.weir.gateway.query.ErrorDetails;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import dev.weir.gateway.query.QuerySnapshot;
import dev.weir.gateway.query.QueryState;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Failures as gRPC statuses: the code of the one error table, the message, and in the trailers the details
 * ({@code grpc-status-details-bin} with ErrorInfo and RetryInfo; plain headers for clients that read those).
 */
final class FlightErrors {

    static final Metadata.Key<String> QUERY_ID = ascii("x-weir-query-id");
    static final Metadata.Key<String> ERROR_CODE = ascii("x-weir-error-code");
    static final Metadata.Key<String> SQL_STATE = ascii("sqlstate");
    static final Metadata.Key<byte[]> STATUS_DETAILS =
            Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER);
    static final String DOMAIN = "weir";

    /** gRPC clients refuse trailers over 8 KB; the message travels twice, percent-encoded and in the details. */
    private static final int MAX_ENCODED_MESSAGE = 2_400;

    private static final Logger LOG = LoggerFactory.getLogger(FlightErrors.class);
    private static final Duration DEFAULT_RETRY = Duration.ofSeconds(1);

    private FlightErrors() {}

    /** Any failure as the exception that gRPC sends. */
    static StatusRuntimeException toStatus(Throwable failure) {
        Throwable cause = unwrap(failure);
        return cause instanceof StatusRuntimeException status ? status : status(toGateway(cause));
    }

    private static Throwable unwrap(Throwable failure) {
        Throwable cause = failure;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    /** A feature that the front does not have. */
    static StatusRuntimeException unimplemented(String what) {
        Status status = Status.UNIMPLEMENTED.withDescription(what + " not supported.");
        Metadata trailers = new Metadata();
        trailers.put(ERROR_CODE, "UNIMPLEMENTED");
        return status.asRuntimeException(trailers);
    }

    static GatewayException invalidRequest(String message) {
        return new GatewayException(GatewayErrorCode.INVALID_REQUEST, message);
    }

    /** The failure that a query which is done stands for; null when it finished well. */
    static @Nullable GatewayException ofSnapshot(QuerySnapshot query) {
        if (query.state() == QueryState.FINISHED) {
            return null;
        }
        GatewayException failure = query.failure();
        if (failure != null) {
            return failure;
        }
        boolean cancelled = query.state() == QueryState.CANCELLED;
        return new GatewayException(
                cancelled ? GatewayErrorCode.CANCELLED : GatewayErrorCode.INTERNAL,
                cancelled ? "The query was cancelled." : GatewayErrorCode.INTERNAL.name(),
                ErrorDetails.NONE.withQueryId(query.id()));
    }

    /** Any failure as one of the table; what is none of ours is INTERNAL, and in the log under the id it shows. */
    static GatewayException toGateway(Throwable failure) {
        Throwable cause = unwrap(failure);
        if (cause instanceof GatewayException gateway) {
            return gateway;
        }
        if (cause instanceof AuthenticationFailedException refused) {
            return refused.reason() == AuthenticationFailedException.Reason.BUSY
                    ? new GatewayException(GatewayErrorCode.RATE_LIMITED, message(refused))
                    : new GatewayException(GatewayErrorCode.UNAUTHENTICATED, message(refused));
        }
        if (cause instanceof TicketRefusedException refused) {
            GatewayErrorCode code = switch (refused.reason()) {
                case MALFORMED, TAMPERED -> GatewayErrorCode.INVALID_REQUEST;
                case EXPIRED -> GatewayErrorCode.NOT_FOUND;
                case OTHER_USER -> GatewayErrorCode.FORBIDDEN;
            };
            return new GatewayException(code, message(refused));
        }
        String errorId = UUID.randomUUID().toString();
        LOG.error("internal error {}", errorId, cause);
        return new GatewayException(
                GatewayErrorCode.INTERNAL,
                "Internal error " + errorId + "; the gateway's log has its cause.",
                new ErrorDetails(null, null, null, null, null, null, null, null, errorId));
    }

    private static String message(RuntimeException refused) {
        String message = refused.getMessage();
        return message != null ? message : "refused";
    }

    private static StatusRuntimeException status(GatewayException failure) {
        GatewayErrorCode code = failure.code();
        String message = shorten(failure.text());
        Status status = Status.Code.valueOf(code.grpcStatus()).toStatus().withDescription(message);
        Metadata trailers = new Metadata();
        trailers.put(ERROR_CODE, code.name());
        trailers.put(SQL_STATE, failure.sqlState());
        String queryId = failure.details().queryId();
        if (queryId != null) {
            trailers.put(QUERY_ID, queryId);
        }
        trailers.put(STATUS_DETAILS, details(failure, status.getCode().value(), message));
        return status.asRuntimeException(trailers);
    }

    private static byte[] details(GatewayException failure, int code, String message) {
        com.google.rpc.Status.Builder status = com.google.rpc.Status.newBuilder()
                .setCode(code)
                .setMessage(message)
                .addDetails(Any.pack(errorInfo(failure)));
        if (isRetryable(failure)) {
            Duration after = failure.details().retryAfter();
            Duration delay = after != null ? after : DEFAULT_RETRY;
            status.addDetails(Any.pack(RetryInfo.newBuilder()
                    .setRetryDelay(com.google.protobuf.Duration.newBuilder()
                            .setSeconds(delay.getSeconds())
                            .setNanos(delay.getNano()))
                    .build()));
        }
        return status.build().toByteArray();
    }

    private static boolean isRetryable(GatewayException failure) {
        Boolean own = failure.details().retryable();
        return own != null ? own : failure.code().retryable();
    }

    private static ErrorInfo errorInfo(GatewayException failure) {
        ErrorDetails details = failure.details();
        ErrorInfo.Builder info =
                ErrorInfo.newBuilder().setReason(failure.code().name()).setDomain(DOMAIN);
        info.putMetadata("sqlState", failure.sqlState());
        info.putMetadata("retryable", Boolean.toString(isRetryable(failure)));
        info.putMetadata("started", Boolean.toString(failure.code().started()));
        ifPresent(details.queryId(), value -> info.putMetadata("queryId", value));
        ifPresent(details.sqlPosition(), value -> info.putMetadata("sqlPosition", value.toString()));
        ifPresent(details.position(), value -> info.putMetadata("position", value.toString()));
        ifPresent(details.errorId(), value -> info.putMetadata("errorId", value));
        ifPresent(
                details.predictedWait(), value -> info.putMetadata("predictedWaitMs", Long.toString(value.toMillis())));
        ifPresent(details.limit(), limit -> {
            info.putMetadata("limitScope", limit.scope());
            info.putMetadata("limitName", limit.name());
            info.putMetadata("limitValue", limit.value());
        });
        return info.build();
    }

    private static <T> void ifPresent(@Nullable T value, Consumer<T> consumer) {
        if (value != null) {
            consumer.accept(value);
        }
    }

    /** Cuts at a code point so that the percent-encoded form stays within the trailers' limit. */
    private static String shorten(String message) {
        int encoded = 0;
        for (int i = 0; i < message.length(); ) {
            int codePoint = message.codePointAt(i);
            encoded += codePoint >= ' ' && codePoint < 127 && codePoint != '%'
                    ? 1
                    : 3 * new String(Character.toChars(codePoint)).getBytes(StandardCharsets.UTF_8).length;
            if (encoded > MAX_ENCODED_MESSAGE) {
                return message.substring(0, i) + "...";
            }
            i += Character.charCount(codePoint);
        }
        return message;
    }

    private static Metadata.Key<String> ascii(String name) {
        return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
    }
}
