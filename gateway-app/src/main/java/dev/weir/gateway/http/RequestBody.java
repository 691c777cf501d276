package dev.weir.gateway.http;

import dev.weir.gateway.query.ErrorDetails;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferLimitException;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.util.unit.DataSize;
import reactor.core.publisher.Mono;

/** Reads a request's body into memory, within its limit in size and time. */
final class RequestBody {

    /** A client that sends its statement more slowly than this is not going to. */
    private static final Duration READ_TIMEOUT = Duration.ofSeconds(60);

    private static final byte[] EMPTY = {};

    private final int maxBytes;

    RequestBody(DataSize max) {
        this.maxBytes = (int) Math.min(Integer.MAX_VALUE - 8, max.toBytes());
    }

    Mono<byte[]> read(ServerHttpRequest request) {
        HttpHeaders headers = request.getHeaders();
        String encoding = headers.getFirst(HttpHeaders.CONTENT_ENCODING);
        if (encoding != null && !encoding.strip().equalsIgnoreCase("identity")) {
            return Mono.error(HttpProblem.encodedRequest());
        }
        if (headers.getContentLength() > maxBytes) {
            return Mono.error(tooLarge());
        }
        return DataBufferUtils.join(request.getBody(), maxBytes)
                .map(RequestBody::bytes)
                .defaultIfEmpty(EMPTY)
                .onErrorMap(DataBufferLimitException.class, e -> tooLarge())
                .timeout(READ_TIMEOUT)
                .onErrorMap(TimeoutException.class, e -> tooSlow());
    }

    private static byte[] bytes(DataBuffer buffer) {
        try {
            byte[] bytes = new byte[buffer.readableByteCount()];
            buffer.read(bytes);
            return bytes;
        } finally {
            DataBufferUtils.release(buffer);
        }
    }

    private HttpProblem tooLarge() {
        String limit = maxBytes % (1 << 20) == 0 ? (maxBytes >> 20) + "MB" : maxBytes + "B";
        return HttpProblem.closing(
                413,
                new GatewayException(
                        GatewayErrorCode.TOO_LARGE,
                        "The request body is larger than " + limit + " (http.max-body-size).",
                        ErrorDetails.ofLimit("query", "http.max-body-size", limit)));
    }

    private static HttpProblem tooSlow() {
        return HttpProblem.closing(
                408,
                new GatewayException(
                        GatewayErrorCode.INVALID_REQUEST,
                        "The request body did not arrive within " + READ_TIMEOUT.toSeconds() + " s."));
    }
}
