package dev.weir.gateway.flightsql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import dev.weir.gateway.query.GatewayErrorCode;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.flight.impl.Flight;
import org.apache.arrow.flight.impl.FlightServiceGrpc;
import org.apache.arrow.flight.sql.impl.FlightSql;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Polls as gRPC has it: Arrow's own client misreads the expiration time, and knows fewer status codes. */
final class PollClient implements AutoCloseable {

    private final FrontHarness harness;
    private final List<ManagedChannel> channels = new ArrayList<>();

    PollClient(FrontHarness harness) {
        this.harness = harness;
    }

    /** A connection of the user's own. */
    FlightServiceGrpc.FlightServiceFutureStub as(String user) {
        Metadata headers = new Metadata();
        headers.put(CallCredentials.AUTHORIZATION, FrontHarness.basic(user, FakeAuthenticator.passwordOf(user)));
        ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", harness.front.port())
                .usePlaintext()
                .build();
        channels.add(channel);
        return FlightServiceGrpc.newFutureStub(channel)
                .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers));
    }

    /** The first poll. */
    Flight.PollInfo submit(String user, String sql) {
        return poll(user, descriptor(sql));
    }

    Flight.PollInfo poll(String user, Flight.FlightDescriptor descriptor) {
        return answer(start(user, descriptor));
    }

    ListenableFuture<Flight.PollInfo> start(String user, Flight.FlightDescriptor descriptor) {
        return as(user).pollFlightInfo(descriptor);
    }

    static Flight.PollInfo answer(ListenableFuture<Flight.PollInfo> poll) {
        try {
            return poll.get(10, TimeUnit.SECONDS);
        } catch (java.util.concurrent.ExecutionException e) {
            throw (StatusRuntimeException) e.getCause();
        } catch (InterruptedException | java.util.concurrent.TimeoutException e) {
            throw new AssertionError(e);
        }
    }

    static Flight.FlightDescriptor descriptor(String sql) {
        return descriptor(
                FlightSql.CommandStatementQuery.newBuilder().setQuery(sql).build());
    }

    static Flight.FlightDescriptor descriptor(Message command) {
        return descriptor(Any.pack(command).toByteString());
    }

    static Flight.FlightDescriptor descriptor(ByteString command) {
        return Flight.FlightDescriptor.newBuilder()
                .setType(Flight.FlightDescriptor.DescriptorType.CMD)
                .setCmd(command)
                .build();
    }

    static Ticket ticket(Flight.PollInfo complete) {
        return new Ticket(
                complete.getInfo().getEndpoint(0).getTicket().getTicket().toByteArray());
    }

    static JsonNode status(Flight.PollInfo poll) {
        return JsonMapper.shared().readTree(poll.getInfo().getAppMetadata().toString(StandardCharsets.UTF_8));
    }

    /** The call fails with that code of the table. */
    static StatusRuntimeException refused(
            org.assertj.core.api.ThrowableAssert.ThrowingCallable call, GatewayErrorCode code, String words) {
        StatusRuntimeException failure = catchThrowableOfType(StatusRuntimeException.class, call);
        assertThat(failure).isNotNull();
        assertThat(failure.getTrailers().get(FlightErrors.ERROR_CODE)).isEqualTo(code.name());
        assertThat(failure.getStatus().getCode().name()).isEqualTo(code.grpcStatus());
        assertThat(failure.getStatus().getDescription()).contains(words);
        return failure;
    }

    @Override
    public void close() throws Exception {
        for (ManagedChannel channel : channels) {
            channel.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
        }
    }
}
