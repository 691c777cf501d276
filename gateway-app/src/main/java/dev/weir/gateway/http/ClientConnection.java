package dev.weir.gateway.http;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.ssl.SslHandler;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import reactor.core.publisher.Mono;
import reactor.netty.NettyPipeline;
import reactor.netty.http.server.HttpServerRequest;

/**
 * The network connection under a request. The framework hides it, but three things need it: to know when bytes have
 * reached the socket (the server takes 128 chunks ahead of it), to see a client leave at any stage, and to end a broken
 * answer so that no client takes it for a whole one.
 *
 * <p>Thread-safe.
 */
final class ClientConnection {

    /** How long a client may still send after it was refused. */
    private static final long LINGER_MILLIS = 2000;

    private final Channel channel;

    private final boolean http10;

    private ClientConnection(Channel channel, boolean http10) {
        this.channel = channel;
        this.http10 = http10;
    }

    static ClientConnection of(ServerHttpRequest request) {
        HttpServerRequest server = ServerHttpRequestDecorator.getNativeRequest(request);
        Channel[] found = new Channel[1];
        server.withConnection(connection -> found[0] = connection.channel());
        return new ClientConnection(found[0], server.version().equals(HttpVersion.HTTP_1_0));
    }

    /** Whether the client speaks HTTP/1.0, which knows no chunks. */
    boolean isHttp10() {
        return http10;
    }

    /** Fails as soon as the request's body turns out to be no HTTP; else it never ends. */
    Mono<Void> brokenBody() {
        TransportProblems problems = TransportProblems.of(channel);
        return problems == null ? Mono.never() : problems.brokenBody();
    }

    ByteBufAllocator allocator() {
        return channel.alloc();
    }

    /** A registration that can be taken back. */
    interface Registration {
        void cancel();
    }

    /** Runs {@code action} on the event loop when the connection is closed, or at once when it is already. */
    Registration onClosed(Runnable action) {
        ChannelFutureListener listener = future -> action.run();
        channel.closeFuture().addListener(listener);
        return () -> channel.closeFuture().removeListener(listener);
    }

    /**
     * Completes when everything that was handed over so far has reached the socket; fails when it cannot.
     *
     * <p>An empty write at the head of the pipeline, behind TLS, completes after all bytes that were queued before it.
     */
    CompletionStage<Void> flushed() {
        CompletableFuture<Void> done = new CompletableFuture<>();
        onEventLoop(done, () -> {
            channel.flush();
            ChannelHandlerContext first = channel.pipeline().firstContext();
            if (first == null || !channel.isActive()) {
                done.completeExceptionally(new IllegalStateException("connection closed"));
                return;
            }
            first.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(future -> {
                if (future.isSuccess()) {
                    done.complete(null);
                } else {
                    done.completeExceptionally(future.cause());
                }
            });
        });
        return done;
    }

    /** Resets the connection: what was not sent is dropped, and no client sees a regular end. */
    CompletionStage<Void> reset() {
        return close(true);
    }

    /** Closes the connection after what was sent, without the end of the chunked body. */
    CompletionStage<Void> closeUnfinished() {
        return close(false);
    }

    /**
     * Tells in the answer that is about to be written that the connection ends with it. The server would close at once if
     * it saw that header itself, so it is added behind the server's back.
     */
    void announceClose() {
        channel.pipeline().addAfter(NettyPipeline.HttpCodec, CloseAnnouncer.NAME, new CloseAnnouncer());
    }

    private static final class CloseAnnouncer extends ChannelOutboundHandlerAdapter {
        static final String NAME = "weir.closeAnnouncer";

        @Override
        public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
            if (message instanceof HttpResponse answer) {
                answer.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
                context.pipeline().remove(this);
            }
            context.write(message, promise);
        }
    }

    /**
     * Ends our side, and the connection a moment later. Closing at once while the client still sends would reset the
     * connection, and the client would not get to read the answer. Until then the server drops what comes.
     */
    void closeLingering() {
        onEventLoop(new CompletableFuture<>(), () -> {
            channel.flush();
            SslHandler tls = channel.pipeline().get(SslHandler.class);
            ChannelFuture told = tls == null ? channel.newSucceededFuture() : tls.closeOutbound();
            told.addListener(future -> {
                if (channel instanceof DuplexChannel duplex) {
                    duplex.shutdownOutput();
                }
            });
            channel.eventLoop().schedule(() -> channel.close(), LINGER_MILLIS, TimeUnit.MILLISECONDS);
        });
    }

    private CompletionStage<Void> close(boolean reset) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        onEventLoop(done, () -> {
            ChannelHandlerContext first = channel.pipeline().firstContext();
            if (first == null || !channel.isActive()) {
                done.complete(null);
                return;
            }
            if (reset) {
                channel.config().setOption(ChannelOption.SO_LINGER, 0);
            }
            // Past the TLS handler: its close would send a close_notify, which says that the answer is whole.
            first.close().addListener(future -> done.complete(null));
        });
        return done;
    }

    private void onEventLoop(CompletableFuture<Void> done, Runnable action) {
        try {
            channel.eventLoop().execute(action);
        } catch (RejectedExecutionException e) {
            done.completeExceptionally(e);
        }
    }
}
