package dev.weir.gateway.flightsql;

import com.google.protobuf.ByteString;
import dev.weir.gateway.query.CancelReason;
import dev.weir.gateway.query.IngestInlet;
import io.grpc.MethodDescriptor;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;
import org.apache.arrow.flight.FlightGrpcUtils;
import org.apache.arrow.flight.NoOpFlightProducer;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.flight.auth.ServerAuthHandler;
import org.apache.arrow.flight.impl.Flight;
import org.apache.arrow.flight.impl.FlightServiceGrpc;
import org.apache.arrow.memory.BufferAllocator;
import org.jspecify.annotations.Nullable;

/**
 * The RPCs. All of them answer asynchronously. DoGet's encoding of Arrow is flight-core's, but for batches that came
 * encoded and go on as they are; the other methods are served here from their messages, because flight-core would hold a thread, in places a busy one, for each.
 */
final class FlightSqlService extends FlightServiceGrpc.FlightServiceImplBase {

    private final FlightSqlBackend backend;
    private final FlightSqlSettings settings;
    private final FlightCommands commands;
    private final Actions actions;
    private final ByteBudget parameterBudget;
    private final ScheduledExecutorService scheduler;

    FlightSqlService(
            FlightSqlBackend backend,
            FlightSqlSettings settings,
            FlightCommands commands,
            Actions actions,
            ByteBudget parameterBudget,
            ScheduledExecutorService scheduler) {
        this.backend = backend;
        this.settings = settings;
        this.commands = commands;
        this.actions = actions;
        this.parameterBudget = parameterBudget;
        this.scheduler = scheduler;
    }

    /** This service with flight-core's DoGet, which relays besides, and a DoPut that leaves bodies where they are. */
    ServerServiceDefinition define(BufferAllocator allocator, ExecutorService executor) {
        ServerServiceDefinition own = bindService();
        Map<String, ServerMethodDefinition<?, ?>> replaced = new HashMap<>();
        for (ServerMethodDefinition<?, ?> method : List.of(doGet(allocator, executor), doPut())) {
            replaced.put(method.getMethodDescriptor().getFullMethodName(), method);
        }
        List<ServerMethodDefinition<?, ?>> methods = new ArrayList<>();
        for (ServerMethodDefinition<?, ?> method : own.getMethods()) {
            methods.add(replaced.getOrDefault(method.getMethodDescriptor().getFullMethodName(), method));
        }
        ServiceDescriptor.Builder descriptor = ServiceDescriptor.newBuilder(FlightServiceGrpc.SERVICE_NAME)
                .setSchemaDescriptor(own.getServiceDescriptor().getSchemaDescriptor());
        methods.forEach(method -> descriptor.addMethod(method.getMethodDescriptor()));
        ServerServiceDefinition.Builder service = ServerServiceDefinition.builder(descriptor.build());
        methods.forEach(service::addMethod);
        return service.build();
    }

    private ServerMethodDefinition<?, ?> doGet(BufferAllocator allocator, ExecutorService executor) {
        ServerMethodDefinition<?, ?> encoding = FlightGrpcUtils.createFlightService(
                        allocator, new Streams(), ServerAuthHandler.NO_OP, executor)
                .bindService()
                .getMethod(FlightServiceGrpc.getDoGetMethod().getFullMethodName());
        if (encoding == null) {
            throw new IllegalStateException("flight-core has no DoGet");
        }
        return RelayMarshaller.around(encoding);
    }

    private ServerMethodDefinition<?, ?> doPut() {
        MethodDescriptor<Flight.FlightData, Flight.PutResult> own = FlightServiceGrpc.getDoPutMethod();
        return ServerMethodDefinition.create(
                own.toBuilder(new PutMarshaller(), own.getResponseMarshaller()).build(),
                ServerCalls.asyncBidiStreamingCall(this::put));
    }

    /** DoGet, as flight-core calls it. */
    private final class Streams extends NoOpFlightProducer {
        @Override
        public void getStream(CallContext context, Ticket ticket, ServerStreamListener listener) {
            try {
                commands.stream(Caller.current(), ByteString.copyFrom(ticket.getBytes()), listener);
            } catch (RuntimeException e) {
                listener.error(FlightErrors.toStatus(e));
            }
        }
    }

    @Override
    public StreamObserver<Flight.HandshakeRequest> handshake(StreamObserver<Flight.HandshakeResponse> client) {
        return new HandshakeCall(
                (ServerCallStreamObserver<Flight.HandshakeResponse>) client,
                backend.authenticator(),
                Caller.currentOrNull() != null,
                scheduler);
    }

    @Override
    public void listFlights(Flight.Criteria criteria, StreamObserver<Flight.FlightInfo> client) {
        // Flights come from statements; none wait to be found.
        client.onCompleted();
    }

    @Override
    public void getFlightInfo(Flight.FlightDescriptor descriptor, StreamObserver<Flight.FlightInfo> client) {
        answer(client, () -> commands.info(Caller.current(), descriptor).thenApply(Optional::of));
    }

    @Override
    public void pollFlightInfo(Flight.FlightDescriptor descriptor, StreamObserver<Flight.PollInfo> client) {
        answer(client, () -> commands.poll(Caller.current(), descriptor).thenApply(Optional::of));
    }

    @Override
    public void getSchema(Flight.FlightDescriptor descriptor, StreamObserver<Flight.SchemaResult> client) {
        answer(
                client,
                () -> commands.schema(Caller.current(), descriptor)
                        .thenApply(schema -> Optional.of(Flight.SchemaResult.newBuilder()
                                .setSchema(ArrowSchemas.serialize(schema))
                                .build())));
    }

    private StreamObserver<PutMessage> put(StreamObserver<Flight.PutResult> client) {
        Caller caller = Caller.current();
        return new PutCall(
                (ServerCallStreamObserver<Flight.PutResult>) client,
                new Puts(caller),
                parameterBudget,
                Math.min(settings.maxMessageBytes(), FlightSqlSettings.MAX_PARAMETER_BYTES),
                scheduler,
                settings.clientStallTimeout().toMillis());
    }

    /** What one caller's DoPut is for. */
    private final class Puts implements PutCall.Opener {

        private final Caller caller;

        Puts(Caller caller) {
            this.caller = caller;
        }

        @Override
        public PutCall.Target target(Flight.FlightDescriptor descriptor) {
            return commands.put(caller, descriptor);
        }

        @Override
        public @Nullable UploadCall upload(
                Flight.FlightDescriptor descriptor, ServerCallStreamObserver<Flight.PutResult> client) {
            IngestInlet inlet = commands.ingest(caller, descriptor);
            if (inlet == null) {
                return null;
            }
            return new UploadCall(
                    client,
                    inlet,
                    scheduler,
                    () -> inlet.query().ifPresent(query -> caller.call().header(FlightErrors.QUERY_ID, query.id())));
        }

        @Override
        public CancelReason goneReason() {
            return commands.goneReason();
        }
    }

    @Override
    public StreamObserver<Flight.FlightData> doExchange(StreamObserver<Flight.FlightData> client) {
        client.onError(FlightErrors.unimplemented("DoExchange is"));
        return new StreamObserver<>() {
            @Override
            public void onNext(Flight.FlightData data) {}

            @Override
            public void onError(Throwable failure) {}

            @Override
            public void onCompleted() {}
        };
    }

    @Override
    public void doAction(Flight.Action action, StreamObserver<Flight.Result> client) {
        answer(
                client,
                () -> actions.run(Caller.current(), action)
                        .thenApply(body -> body.map(bytes ->
                                Flight.Result.newBuilder().setBody(bytes).build())));
    }

    @Override
    public void listActions(Flight.Empty request, StreamObserver<Flight.ActionType> client) {
        for (org.apache.arrow.flight.ActionType type : actions.types()) {
            client.onNext(Flight.ActionType.newBuilder()
                    .setType(type.getType())
                    .setDescription(type.getDescription())
                    .build());
        }
        client.onCompleted();
    }

    /** Sends what the work gives, when it does; a client that left meanwhile is not an error. */
    private static <T> void answer(StreamObserver<T> client, Supplier<CompletionStage<Optional<T>>> work) {
        ((ServerCallStreamObserver<T>) client).setOnCancelHandler(() -> {});
        CompletionStage<Optional<T>> result;
        try {
            result = work.get();
        } catch (RuntimeException e) {
            client.onError(FlightErrors.toStatus(e));
            return;
        }
        var unused = result.whenComplete((value, failure) -> {
            if (failure != null) {
                client.onError(FlightErrors.toStatus(failure));
            } else {
                value.ifPresent(client::onNext);
                client.onCompleted();
            }
        });
    }
}
