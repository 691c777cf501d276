package dev.weir.gateway.http;

import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.netty.NettyPipeline;
import reactor.netty.http.server.HttpServer;

/**
 * Stands behind the HTTP decoder for what is no HTTP.
 *
 * <p>The server refuses a bad request line, and an address or headers beyond every measure, by itself, before any filter
 * or handler sees a request; its bare answers get the body that all other errors have. They are known by their status
 * and by having neither body nor content type, which no answer of this front lacks.
 *
 * <p>A body that breaks off in a bad chunk would look to its reader like one that ended there: half a statement would
 * run. Here it becomes a failure of the body.
 */
final class TransportProblems extends ChannelDuplexHandler {

    private static final Logger log = LoggerFactory.getLogger(TransportProblems.class);

    private static final Set<HttpResponseStatus> STATUS = Set.of(
            HttpResponseStatus.BAD_REQUEST,
            HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE,
            HttpResponseStatus.REQUEST_URI_TOO_LONG,
            HttpResponseStatus.REQUEST_HEADER_FIELDS_TOO_LARGE);

    private static final long LINGER_MILLIS = 2000;

    /** Requests without an answer; touched on the channel's event loop only. */
    private int unanswered;

    private volatile boolean brokenBody;

    private volatile Sinks.@Nullable Empty<Void> reader;

    private TransportProblems() {}

    static HttpServer on(HttpServer server) {
        return server.doOnChannelInit((observer, channel, address) -> {
            if (channel.pipeline().get(NettyPipeline.HttpCodec) != null) {
                channel.pipeline().addAfter(NettyPipeline.HttpCodec, "weir.problems", new TransportProblems());
            }
        });
    }

    /** The handler of a connection, or null where none was put. */
    static @Nullable TransportProblems of(Channel channel) {
        return channel.pipeline().get(TransportProblems.class);
    }

    /**
     * A failure as soon as the body of the current request turns out to be broken; else it never ends. Has one
     * subscriber at a time: whoever reads the body. Any thread may subscribe.
     */
    Mono<Void> brokenBody() {
        return Mono.defer(() -> {
            Sinks.Empty<Void> broken = Sinks.empty();
            reader = broken;
            if (brokenBody) {
                broken.tryEmitError(notHttp());
            }
            return broken.asMono().doFinally(end -> reader = null);
        });
    }

    private static HttpProblem notHttp() {
        return HttpProblem.closing(
                400,
                new GatewayException(
                        GatewayErrorCode.INVALID_REQUEST,
                        "The request body is not valid HTTP: a chunk of it has no proper length."));
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (message instanceof HttpRequest) {
            unanswered++;
        } else if (message instanceof HttpContent content
                && content.decoderResult().isFailure()) {
            if (content.refCnt() > 0) {
                content.release();
            }
            broken(context);
            return;
        }
        context.fireChannelRead(message);
    }

    private void broken(ChannelHandlerContext context) {
        brokenBody = true;
        Sinks.Empty<Void> reading = reader;
        if (reading != null) {
            reading.tryEmitError(notHttp());
        } else if (unanswered == 0) {
            context.close();
        }
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        if (message instanceof FullHttpResponse response && isBare(response)) {
            log.debug("A request could not be read; answered with {}", response.status());
            context.write(withBody(response), promise);
        } else if (message instanceof LastHttpContent && !isInterim(message)) {
            unanswered--;
            if (brokenBody) {
                // The decoder reads no more on this connection, also when nobody cared for the body.
                context.executor().schedule(() -> context.close(), LINGER_MILLIS, TimeUnit.MILLISECONDS);
            }
            context.write(message, promise);
        } else {
            context.write(message, promise);
        }
    }

    private static boolean isBare(FullHttpResponse response) {
        return STATUS.contains(response.status())
                && !response.content().isReadable()
                && !response.headers().contains(HttpHeaderNames.CONTENT_TYPE);
    }

    private static boolean isInterim(Object message) {
        return message instanceof HttpResponse response
                && response.status().codeClass() == HttpStatusClass.INFORMATIONAL;
    }

    private static FullHttpResponse withBody(FullHttpResponse bare) {
        int status = bare.status().code();
        GatewayException failure = switch (status) {
            case 413 -> new GatewayException(GatewayErrorCode.TOO_LARGE, "The request is too large.");
            case 414 ->
                new GatewayException(
                        GatewayErrorCode.INVALID_REQUEST,
                        "The request's address is too long; statements belong into the body.");
            case 431 -> new GatewayException(GatewayErrorCode.INVALID_REQUEST, "The request's headers are too large.");
            default -> new GatewayException(GatewayErrorCode.INVALID_REQUEST, "The request is not valid HTTP.");
        };
        byte[] body = Problem.of(failure, status, null).toBytes();
        FullHttpResponse answer = new DefaultFullHttpResponse(
                bare.protocolVersion(),
                bare.status(),
                Unpooled.wrappedBuffer(body),
                bare.headers().copy(),
                bare.trailingHeaders());
        answer.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, Problem.MEDIA_TYPE)
                .set(HttpHeaderNames.CACHE_CONTROL, "no-store")
                .setInt(HttpHeaderNames.CONTENT_LENGTH, body.length);
        bare.release();
        return answer;
    }
}
