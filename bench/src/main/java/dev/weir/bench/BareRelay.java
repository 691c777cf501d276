package dev.weir.bench;

import dev.weir.auth.Authenticator;
import dev.weir.auth.Credentials;
import dev.weir.auth.tls.TlsMaterial;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Detachable;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.X509TrustManager;
import org.apache.arrow.flight.impl.FlightServiceGrpc;
import org.jspecify.annotations.Nullable;

/**
 * The least that a relay of DoGet can do: checks the caller's password, passes the ticket on, and hands each message from
 * one call to the other as the bytes that it is, at the reader's pace.
 */
final class BareRelay implements AutoCloseable {

    private static final int READY_THRESHOLD_BYTES = 4 << 20;
    private static final int MAX_MESSAGE_BYTES = 64 << 20;
    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
    private static final MethodDescriptor<byte[], InputStream> DO_GET = MethodDescriptor.newBuilder(
                    new Ticket(), new Bytes())
            .setType(MethodDescriptor.MethodType.SERVER_STREAMING)
            .setFullMethodName(FlightServiceGrpc.getDoGetMethod().getFullMethodName())
            .build();

    private final Server server;
    private final ManagedChannel source;

    private BareRelay(Server server, ManagedChannel source) {
        this.server = server;
        this.source = source;
    }

    static BareRelay start(
            int port, int sourcePort, TlsMaterial keys, X509TrustManager trust, Authenticator authenticator)
            throws IOException {
        ManagedChannel source = NettyChannelBuilder.forAddress("localhost", sourcePort)
                .sslContext(GrpcSslContexts.forClient().trustManager(trust).build())
                .maxInboundMessageSize(MAX_MESSAGE_BYTES)
                .build();
        Server server = NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", port))
                .sslContext(
                        GrpcSslContexts.configure(io.netty.handler.ssl.SslContextBuilder.forServer(keys.keyManager()))
                                .build())
                .addService(ServerServiceDefinition.builder(FlightServiceGrpc.SERVICE_NAME)
                        .addMethod(DO_GET, new Relay(source, authenticator))
                        .build())
                .build()
                .start();
        return new BareRelay(server, source);
    }

    @Override
    public void close() {
        server.shutdownNow();
        source.shutdownNow();
    }

    /** Starts the call behind for each call in front. */
    private record Relay(ManagedChannel source, Authenticator authenticator)
            implements ServerCallHandler<byte[], InputStream> {

        @Override
        public ServerCall.Listener<byte[]> startCall(ServerCall<byte[], InputStream> call, Metadata headers) {
            try {
                authenticate(headers.get(AUTHORIZATION));
            } catch (RuntimeException e) {
                call.close(Status.UNAUTHENTICATED, new Metadata());
                return new ServerCall.Listener<>() {};
            }
            call.setOnReadyThreshold(READY_THRESHOLD_BYTES);
            Pair pair = new Pair(call, source.newCall(DO_GET, CallOptions.DEFAULT));
            pair.start();
            return pair.front;
        }

        private void authenticate(@Nullable String header) {
            if (header == null) {
                throw new IllegalArgumentException("no credentials");
            }
            String text = new String(
                    Base64.getDecoder().decode(header.substring(header.indexOf(' ') + 1)), StandardCharsets.UTF_8);
            int colon = text.indexOf(':');
            authenticator
                    .authenticate(new Credentials.Password(text.substring(0, colon), text.substring(colon + 1)))
                    .toCompletableFuture()
                    .join();
        }
    }

    /** A call in front and the one behind it. */
    private static final class Pair {
        private final ServerCall<byte[], InputStream> call;
        private final ClientCall<byte[], InputStream> behind;
        /** Messages that may be asked for when the client has room. */
        private final AtomicInteger owed = new AtomicInteger();

        final ServerCall.Listener<byte[]> front = new ServerCall.Listener<>() {
            @Override
            public void onMessage(byte[] ticket) {
                behind.sendMessage(ticket);
                behind.halfClose();
                behind.request(1);
            }

            @Override
            public void onReady() {
                pull();
            }

            @Override
            public void onCancel() {
                behind.cancel("the client is gone", null);
            }
        };

        Pair(ServerCall<byte[], InputStream> call, ClientCall<byte[], InputStream> behind) {
            this.call = call;
            this.behind = behind;
        }

        void start() {
            behind.start(
                    new ClientCall.Listener<>() {
                        @Override
                        public void onHeaders(Metadata headers) {
                            call.sendHeaders(headers);
                        }

                        @Override
                        public void onMessage(InputStream message) {
                            call.sendMessage(message);
                            owed.incrementAndGet();
                            pull();
                        }

                        @Override
                        public void onClose(Status status, Metadata trailers) {
                            call.close(status, trailers);
                        }
                    },
                    new Metadata());
            call.request(2);
        }

        private void pull() {
            if (call.isReady()) {
                int messages = owed.getAndSet(0);
                if (messages > 0) {
                    behind.request(messages);
                }
            }
        }
    }

    /** A ticket as it is. */
    private static final class Ticket implements MethodDescriptor.Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** A message in the transport's buffers. */
    private static final class Bytes implements MethodDescriptor.Marshaller<InputStream> {
        @Override
        public InputStream stream(InputStream value) {
            return value;
        }

        @Override
        public InputStream parse(InputStream stream) {
            return ((Detachable) stream).detach();
        }
    }
}
