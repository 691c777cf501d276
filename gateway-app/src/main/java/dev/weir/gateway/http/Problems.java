package dev.weir.gateway.http;

import dev.weir.gateway.query.ErrorDetails;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.Ordered;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.ErrorResponse;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;
import reactor.core.publisher.Mono;
import reactor.netty.channel.AbortedException;

/**
 * Turns every failure of this front into problem+json: its own, the framework's, and faults. The last get an id that
 * stands in the answer and in the log.
 */
final class Problems implements WebExceptionHandler, Ordered {

    private static final Logger log = LoggerFactory.getLogger(Problems.class);

    private static final Duration DEFAULT_RETRY = Duration.ofSeconds(1);

    /** Before the framework's own handler, whose order is -1. */
    @Override
    public int getOrder() {
        return -2;
    }

    @Override
    public Mono<Void> handle(ServerWebExchange exchange, Throwable thrown) {
        if (exchange.getResponse().isCommitted()) {
            return Mono.error(thrown);
        }
        if (thrown instanceof HttpProblem problem) {
            Mono<Void> written = write(exchange, problem.failure(), problem.status(), problem.headers());
            if (!problem.closing()) {
                return written;
            }
            ClientConnection connection = ClientConnection.of(exchange.getRequest());
            connection.announceClose();
            return written.doOnSuccess(done -> connection.closeLingering());
        }
        if (thrown instanceof GatewayException failure) {
            return write(exchange, failure);
        }
        if (thrown instanceof ErrorResponse framework) {
            return framework(exchange, framework, thrown);
        }
        if (thrown instanceof IOException
                || thrown instanceof AbortedException
                || AbortedException.isConnectionReset(thrown)) {
            // The client is gone, in the middle of its request: nobody to answer, and no fault of ours.
            log.debug("A client left while it sent its request", thrown);
            return Mono.empty();
        }
        return write(exchange, fault(thrown));
    }

    /** A fault of ours: logged with an id that the client gets too. */
    static GatewayException fault(Throwable thrown) {
        String id = UUID.randomUUID().toString();
        log.error("Internal error {}", id, thrown);
        return new GatewayException(
                GatewayErrorCode.INTERNAL,
                "The gateway failed; its log has more under the error id " + id + ".",
                new ErrorDetails(null, null, null, null, null, null, null, null, id));
    }

    /** The failure itself, or the fault that an unexpected one is. */
    static GatewayException of(Throwable wrapped) {
        Throwable thrown = unwrap(wrapped);
        if (thrown instanceof GatewayException failure) {
            return failure;
        }
        if (thrown instanceof HttpProblem problem) {
            return problem.failure();
        }
        return fault(thrown);
    }

    /** What a stage failed with, without the wrapping that stages add. */
    static Throwable unwrap(Throwable wrapped) {
        Throwable thrown = wrapped;
        while (thrown instanceof CompletionException && thrown.getCause() != null) {
            thrown = thrown.getCause();
        }
        return thrown;
    }

    static Mono<Void> write(ServerWebExchange exchange, GatewayException failure) {
        return write(exchange, failure, failure.code().httpStatus(), HttpHeaders.EMPTY);
    }

    static Mono<Void> write(ServerWebExchange exchange, GatewayException thrown, int status, HttpHeaders more) {
        GatewayException failure = thrown;
        if (failure.code() == GatewayErrorCode.INTERNAL && failure.details().errorId() == null) {
            GatewayException fault = fault(failure);
            String queryId = failure.details().queryId();
            failure = queryId == null
                    ? fault
                    : new GatewayException(
                            GatewayErrorCode.INTERNAL,
                            fault.text(),
                            fault.details().withQueryId(queryId));
        }
        ServerHttpResponse response = exchange.getResponse();
        response.setStatusCode(HttpStatusCode.valueOf(status));
        HttpHeaders headers = response.getHeaders();
        headers.set(HttpHeaders.CONTENT_TYPE, Problem.MEDIA_TYPE);
        headers.set(HttpHeaders.CACHE_CONTROL, "no-store");
        more.forEach((name, values) -> headers.put(name, values));
        String queryId = failure.details().queryId();
        if (queryId != null) {
            headers.set(AnswerHeaders.QUERY_ID, queryId);
        }
        if (status == 429 || status == 503) {
            headers.set(HttpHeaders.RETRY_AFTER, retryAfter(failure));
        }
        byte[] body = Problem.of(failure, status, null).toBytes();
        headers.setContentLength(body.length);
        return response.writeWith(Mono.just(response.bufferFactory().wrap(body)));
    }

    /** Whole seconds, at least one. */
    private static String retryAfter(GatewayException failure) {
        Duration after = Objects.requireNonNullElse(failure.details().retryAfter(), DEFAULT_RETRY);
        return Long.toString(Math.max(1, after.plusMillis(999).toSeconds()));
    }

    private static Mono<Void> framework(ServerWebExchange exchange, ErrorResponse response, Throwable thrown) {
        int status = response.getStatusCode().value();
        if (status >= 500) {
            return write(exchange, fault(thrown));
        }
        GatewayException failure = switch (status) {
            case 404 ->
                new GatewayException(GatewayErrorCode.NOT_FOUND, "There is nothing at this address; see /v1/queries.");
            case 413 -> new GatewayException(GatewayErrorCode.TOO_LARGE, "The request is too large.");
            default -> new GatewayException(GatewayErrorCode.INVALID_REQUEST, reason(thrown, status));
        };
        return write(exchange, failure, status, response.getHeaders());
    }

    private static String reason(Throwable thrown, int status) {
        String reason = thrown instanceof ResponseStatusException known ? known.getReason() : null;
        return reason != null ? reason : "The request was refused with status " + status + ".";
    }
}
