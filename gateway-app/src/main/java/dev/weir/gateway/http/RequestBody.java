package dev.weir.gateway.http;

import dev.weir.gateway.query.ErrorDetails;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.util.unit.DataSize;
import reactor.core.publisher.Mono;

/** Reads a request's body into memory, within its limit in size and time. */
final class RequestBody {

    /** A client that sends its statement more slowly than this is not going to. */
    private static final Duration READ_TIMEOUT = Duration.ofSeconds(60);

    /**
     * A body over the limit by up to this much is read to its end and thrown away before the answer: a client that
     * still sends when its connection closes often sees a reset instead of the reason.
     */
    private static final long DISCARDED = 16L << 20;

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
        long declared = headers.getContentLength();
        boolean waits = "100-continue".equalsIgnoreCase(headers.getFirst(HttpHeaders.EXPECT));
        if (declared > maxBytes && (waits || declared > maxBytes + DISCARDED)) {
            return Mono.error(tooLarge());
        }
        return request.getBody()
                .takeUntilOther(ClientConnection.of(request).brokenBody())
                .reduceWith(Collected::new, Collected::add)
                .map(Collected::bytes)
                .defaultIfEmpty(EMPTY)
                .timeout(READ_TIMEOUT)
                .onErrorMap(TimeoutException.class, e -> tooSlow());
    }

    /** The bytes so far; past the limit they are counted and thrown away. */
    private final class Collected {

        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private long length;

        Collected add(DataBuffer buffer) {
            try {
                int count = buffer.readableByteCount();
                length += count;
                if (length > maxBytes + DISCARDED) {
                    throw tooLarge();
                }
                if (length <= maxBytes) {
                    byte[] part = new byte[count];
                    buffer.read(part);
                    bytes.writeBytes(part);
                }
                return this;
            } finally {
                DataBufferUtils.release(buffer);
            }
        }

        byte[] bytes() {
            if (length > maxBytes) {
                // Read to its end: the connection can go on.
                throw tooLargeFailure();
            }
            return bytes.toByteArray();
        }
    }

    private HttpProblem tooLarge() {
        return HttpProblem.closing(413, tooLargeFailure());
    }

    private GatewayException tooLargeFailure() {
        String limit = maxBytes % (1 << 20) == 0 ? (maxBytes >> 20) + "MB" : maxBytes + "B";
        return new GatewayException(
                GatewayErrorCode.TOO_LARGE,
                "The request body is larger than " + limit + " (http.max-body-size).",
                ErrorDetails.ofLimit("query", "http.max-body-size", limit));
    }

    private static HttpProblem tooSlow() {
        return HttpProblem.closing(
                408,
                new GatewayException(
                        GatewayErrorCode.INVALID_REQUEST,
                        "The request body did not arrive within " + READ_TIMEOUT.toSeconds() + " s."));
    }
}
