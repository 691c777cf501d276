package dev.weir.engine.remote;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.engine.wire.Wire;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.ChannelOption;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.util.function.Consumer;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * The connection to a worker, made when it is needed and made anew after it was lost: gRPC would wait up to minutes
 * before it tries again. Thread-safe.
 */
final class Link {

    /**
     * So much of one stream may lie unread on this side besides the batch in hand. 1 MiB was measured slower, 4 and 8 MiB
     * no faster.
     */
    private static final int FLOW_CONTROL_BYTES = 2 << 20;

    private final RemoteSettings settings;
    private final Consumer<ManagedChannel> lost;

    @GuardedBy("this")
    private @Nullable ManagedChannel channel;

    @GuardedBy("this")
    private boolean closed;

    /** @param lost told when a connection is gone, on any thread */
    Link(RemoteSettings settings, Consumer<ManagedChannel> lost) {
        this.settings = settings;
        this.lost = lost;
    }

    /** A channel for a new call; null once closed. */
    synchronized @Nullable ManagedChannel channel() {
        if (closed) {
            return null;
        }
        ManagedChannel present = channel;
        if (present != null) {
            ConnectivityState state = present.getState(false);
            if (state != ConnectivityState.TRANSIENT_FAILURE && state != ConnectivityState.SHUTDOWN) {
                return present;
            }
            present.shutdown();
        }
        ManagedChannel made = make();
        channel = made;
        watch(made, ConnectivityState.IDLE);
        return made;
    }

    private ManagedChannel make() {
        NettyChannelBuilder builder = NettyChannelBuilder.forAddress(settings.host(), settings.port())
                .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int)
                        Math.max(1, settings.connectTimeout().toMillis()))
                .maxInboundMessageSize(Wire.MAX_MESSAGE_BYTES)
                .flowControlWindow(FLOW_CONTROL_BYTES)
                .proxyDetector(address -> null)
                .disableRetry();
        TrustManager trust = settings.trust();
        if (trust == null) {
            return builder.usePlaintext().build();
        }
        try {
            return builder.sslContext(GrpcSslContexts.configure(SslContextBuilder.forClient(), SslProvider.JDK)
                            .trustManager(trust)
                            .protocols("TLSv1.3", "TLSv1.2")
                            .build())
                    .build();
        } catch (SSLException e) {
            throw new IllegalStateException("TLS cannot be set up", e);
        }
    }

    private void watch(ManagedChannel watched, ConnectivityState seen) {
        watched.notifyWhenStateChanged(seen, () -> {
            ConnectivityState now = watched.getState(false);
            if (seen == ConnectivityState.READY || now == ConnectivityState.SHUTDOWN) {
                lost.accept(watched);
            }
            if (now != ConnectivityState.SHUTDOWN) {
                watch(watched, now);
            }
        });
    }

    /** Breaks a connection that does not answer; its calls fail at once. */
    void discard(ManagedChannel dead) {
        dead.shutdownNow();
    }

    synchronized void close() {
        closed = true;
        if (channel != null) {
            channel.shutdownNow();
        }
    }
}
