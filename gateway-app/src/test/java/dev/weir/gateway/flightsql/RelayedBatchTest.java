package dev.weir.gateway.flightsql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import dev.weir.gateway.query.EveryType;
import dev.weir.gateway.query.TestBatch;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Drainable;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.flight.impl.Flight.FlightData;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The message around an encoded batch, and that its bytes are given back whatever gRPC does with it. */
class RelayedBatchTest {

    private final BufferAllocator allocator = new RootAllocator();

    @AfterEach
    void everythingIsGivenBack() {
        allocator.close();
    }

    private TestBatch batch(int rows, boolean drainable) {
        try (VectorSchemaRoot root = VectorSchemaRoot.create(EveryType.SCHEMA, allocator)) {
            EveryType.fill(root, rows);
            return TestBatch.of(root, allocator, drainable);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theMessageIsFlightData(boolean drainable) throws Exception {
        for (int rows : new int[] {1, 3, 5000}) {
            for (boolean drained : new boolean[] {false, true}) {
                TestBatch batch = batch(rows, drainable);
                ByteString note = rows == 3 ? ByteString.copyFromUtf8("17") : ByteString.EMPTY;
                long size = RelayedBatch.messageBytes(batch, note);
                byte[] bytes;
                try (InputStream message = new RelayedBatch(batch, note).stream()) {
                    assertThat(message.available()).isEqualTo((int) size);
                    bytes = drained ? drain(message) : message.readAllBytes();
                    assertThat(message.available()).isZero();
                }
                assertThat(bytes).hasSize((int) size);
                FlightData data = FlightData.parseFrom(bytes);
                assertThat(data.getAppMetadata()).isEqualTo(note);
                assertThat(data.getDataHeader().asReadOnlyByteBuffer()).isEqualTo(batch.metadata());
                assertThat(data.getDataBody().size()).isEqualTo((int) batch.bodyLength());
                assertThat(batch.closes()).isEqualTo(1);
            }
        }
    }

    private static byte[] drain(InputStream message) throws IOException {
        ByteArrayOutputStream target = new ByteArrayOutputStream();
        int count = ((Drainable) message).drainTo(target);
        assertThat(count).isEqualTo(target.size());
        return target.toByteArray();
    }

    @Test
    void aBodyOfAnotherLengthFails() throws Exception {
        TestBatch batch = batch(100, false);
        batch.cut(8);
        try (InputStream message = new RelayedBatch(batch, ByteString.EMPTY).stream()) {
            assertThatThrownBy(() -> drain(message))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("instead of");
        }
    }

    @Test
    void aMessageThatWasNeverMadeIsGivenBackByItsSender() {
        TestBatch batch = batch(10, false);
        RelayedBatch message = new RelayedBatch(batch, ByteString.EMPTY);
        message.close();
        message.close();
        assertThat(batch.closes()).isEqualTo(1);
        assertThatThrownBy(message::stream).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void theStreamOwnsTheBatchNotTheSender() throws Exception {
        TestBatch batch = batch(10, false);
        RelayedBatch message = new RelayedBatch(batch, ByteString.EMPTY);
        InputStream stream = message.stream();
        message.close();
        assertThat(batch.closes()).isZero();
        stream.close();
        assertThat(batch.closes()).isEqualTo(1);
    }

    /** What gRPC does when the client is gone, or the call was closed, before the batch was handed to it. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aBatchForACallThatIsOverIsGivenBack(boolean closedByServer) throws Exception {
        CompletableFuture<ServerCall<Object, Object>> opened = new CompletableFuture<>();
        CompletableFuture<Void> cancelled = new CompletableFuture<>();
        MethodDescriptor<Object, Object> method = method();
        ServerCallHandler<Object, Object> handler = (call, headers) -> {
            call.sendHeaders(new Metadata());
            opened.complete(call);
            return new ServerCall.Listener<>() {
                @Override
                public void onCancel() {
                    cancelled.complete(null);
                }
            };
        };
        Server server = NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
                .addService(ServerServiceDefinition.builder("test")
                        .addMethod(RelayMarshaller.around(ServerMethodDefinition.create(method, handler)))
                        .build())
                .build()
                .start();
        ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", server.getPort())
                .usePlaintext()
                .build();
        try {
            ClientCall<Object, Object> call = channel.newCall(method, CallOptions.DEFAULT);
            call.start(new ClientCall.Listener<>() {}, new Metadata());
            ServerCall<Object, Object> answering = opened.get(30, TimeUnit.SECONDS);
            TestBatch first = batch(10, false);
            send(answering, first);
            assertThat(first.closes()).as("the transport has a copy").isEqualTo(1);
            TestBatch late = batch(10, false);
            if (closedByServer) {
                answering.close(Status.OK, new Metadata());
                assertThatThrownBy(() -> send(answering, late)).isInstanceOf(IllegalStateException.class);
            } else {
                call.cancel("enough", null);
                cancelled.get(30, TimeUnit.SECONDS);
                send(answering, late);
            }
            assertThat(late.closes()).isEqualTo(1);
        } finally {
            channel.shutdownNow();
            server.shutdownNow();
            await().until(server::isTerminated);
        }
    }

    /** As the interceptor does. */
    private static void send(ServerCall<Object, Object> call, TestBatch batch) {
        try (RelayedBatch message = new RelayedBatch(batch, ByteString.EMPTY)) {
            call.sendMessage(message);
        }
    }

    private static MethodDescriptor<Object, Object> method() {
        MethodDescriptor.Marshaller<Object> bytes = new MethodDescriptor.Marshaller<>() {
            @Override
            public InputStream stream(Object value) {
                return new ByteArrayInputStream((byte[]) value);
            }

            @Override
            public Object parse(InputStream stream) {
                try {
                    return stream.readAllBytes();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        };
        return MethodDescriptor.newBuilder(bytes, bytes)
                .setType(MethodType.BIDI_STREAMING)
                .setFullMethodName("test/Test")
                .build();
    }
}
