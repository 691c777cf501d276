package dev.weir.gateway.http;

import dev.weir.gateway.query.BufferCompression;
import dev.weir.gateway.query.QuerySnapshot;
import io.netty.buffer.ByteBuf;
import java.util.OptionalLong;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.apache.arrow.memory.BufferAllocator;
import org.springframework.core.io.buffer.NettyDataBufferFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;
import reactor.netty.channel.AbortedException;
import reactor.netty.http.server.HttpServerResponse;

/** Makes answers that carry a result. */
final class Answers {

    private final Executor encoding;
    private final BufferAllocator allocator;

    /**
     * @param encoding bounded pool for encoding that a connection asks for
     * @param allocator for batches that are compressed
     */
    Answers(Executor encoding, BufferAllocator allocator) {
        this.encoding = encoding;
        this.allocator = allocator;
    }

    /**
     * What a client wants its result to look like.
     *
     * @param buffers compression within Arrow's format; then the body has no coding
     * @param coding of the body
     * @param connection it goes to
     */
    record Wanted(ResultFormat format, BufferCompression buffers, ContentCoding coding, ClientConnection connection) {

        static Wanted of(ServerRequest request) {
            ServerHttpRequest http = request.exchange().getRequest();
            HttpHeaders headers = http.getHeaders();
            ResultFormat format = Negotiation.format(headers);
            BufferCompression buffers = Negotiation.buffers(headers, format);
            ContentCoding coding =
                    buffers == BufferCompression.NONE ? Negotiation.coding(headers) : ContentCoding.IDENTITY;
            return new Wanted(format, buffers, coding, ClientConnection.of(http));
        }

        /** Whether batches can go into the answer as they came. */
        boolean takesEncoded(long rowLimit) {
            return buffers == BufferCompression.NONE && format.takesEncoded(rowLimit);
        }

        /** Value of the Content-Type header. */
        String contentType() {
            return buffers == BufferCompression.NONE
                    ? format.contentType()
                    : format.contentType() + "; " + Negotiation.CODECS + "=" + buffers;
        }
    }

    /** A pump for a result; it owns the stream from now on. */
    ResultPump pump(Wanted wanted, ResultSource from, LoadedResult result, long rowLimit) {
        ClientConnection connection = wanted.connection();
        ChunkOutput out =
                new ChunkOutput(connection.allocator(), wanted.format().chunkBytes());
        result.stream().format(wanted.format().label());
        ResultEncoder encoder = encoder(wanted, out, from.queryId(), result);
        ChunkSource source = new ChunkSource(result, encoder, out, rowLimit, wanted.takesEncoded(rowLimit));
        return new ResultPump(source, wanted.coding(), connection, encoding, from::failed);
    }

    private ResultEncoder encoder(Wanted wanted, ChunkOutput out, String queryId, LoadedResult result) {
        var stream = result.stream();
        return switch (wanted.format()) {
            case ARROW ->
                new ArrowEncoder(
                        out,
                        stream.schema(),
                        stream.dictionaries(),
                        batch -> wanted.buffers().compress(batch, allocator));
            case JSON -> {
                OptionalLong count = CountResult.of(stream);
                yield count.isPresent()
                        ? new CountEncoder(out, queryId, count.getAsLong())
                        : new JsonEncoder(out, queryId, stream.schema());
            }
            case NDJSON -> new NdjsonEncoder(out, queryId, stream.schema());
            case CSV -> new CsvEncoder(out, stream.schema());
        };
    }

    /** The answer around a pump that has its first chunk. */
    Mono<ServerResponse> respond(
            Wanted wanted, ResultPump pump, ResultPump.First first, Consumer<HttpHeaders> queryHeaders) {
        return ServerResponse.ok()
                .headers(headers -> {
                    queryHeaders.accept(headers);
                    headers.set(HttpHeaders.CONTENT_TYPE, wanted.contentType());
                    headers.set(HttpHeaders.VARY, "Accept, Accept-Encoding");
                    if (first.coding() != ContentCoding.IDENTITY) {
                        headers.set(HttpHeaders.CONTENT_ENCODING, first.coding().token());
                    }
                })
                .body((response, context) -> write(response, wanted.connection(), pump, first));
    }

    static Consumer<HttpHeaders> headersOf(QuerySnapshot query) {
        return headers -> AnswerHeaders.write(headers, query);
    }

    private static Mono<Void> write(
            ServerHttpResponse response, ClientConnection connection, ResultPump pump, ResultPump.First first) {
        NettyDataBufferFactory buffers = (NettyDataBufferFactory) response.bufferFactory();
        if (!first.whole()) {
            if (connection.isHttp10()) {
                // No chunks there: the body ends with the connection. A broken one ends with a reset.
                HttpServerResponse server = ServerHttpResponseDecorator.getNativeResponse(response);
                server.chunkedTransfer(false).keepAlive(false);
            }
            return response.writeWith(pump.chunks().map(buffers::wrap))
                    .doOnSuccess(done -> pump.finish(0))
                    .doOnError(thrown -> pump.abandon())
                    .doOnCancel(pump::abandon);
        }
        ByteBuf bytes = pump.takeFirst();
        if (bytes == null) {
            return Mono.error(new AbortedException("client gone"));
        }
        int size = bytes.readableBytes();
        response.getHeaders().setContentLength(size);
        return response.writeWith(Mono.just(buffers.wrap(bytes)))
                .doOnSuccess(done -> pump.finish(size))
                .doOnError(thrown -> pump.abandon())
                .doOnCancel(pump::abandon);
    }
}
