package dev.weir.gateway.flightsql;

import static dev.weir.gateway.flightsql.StatementsTest.assertStatus;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.gateway.flightsql.FakeQueries.Script;
import io.grpc.CallOptions;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.arrow.flight.CallStatus;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.grpc.CredentialCallOption;
import org.apache.arrow.flight.impl.Flight;
import org.apache.arrow.flight.impl.FlightServiceGrpc;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AuthenticationTest {

    private final FrontHarness harness = new FrontHarness();
    private final ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", harness.front.port())
            .usePlaintext()
            .build();

    @BeforeEach
    void scripts() {
        harness.queries.scripts.put("numbers", Script.numbers(1, 3));
    }

    @AfterEach
    void close() throws Exception {
        channel.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
        harness.close();
    }

    @Test
    void everyMethodWantsCredentials() {
        for (MethodDescriptor<?, ?> method :
                FlightServiceGrpc.getServiceDescriptor().getMethods()) {
            StatusRuntimeException refused = callWithout(method);
            assertThat(refused.getStatus().getCode())
                    .as(method.getBareMethodName())
                    .isEqualTo(Status.Code.UNAUTHENTICATED);
            assertThat(refused.getTrailers().get(FlightErrors.SQL_STATE)).isEqualTo("28P01");
        }
        assertThat(harness.queries.executions).isEmpty();
        assertThat(harness.queries.described).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aPasswordOpensEveryCall(boolean slow) throws Exception {
        harness.authenticator.slow = slow;
        FlightSqlClient client = harness.as("bob");

        assertThat(FrontHarness.read(client, client.execute("numbers"))).containsExactly(0L, 1L, 2L);
        assertThat(harness.queries.last().identity.user()).isEqualTo("bob");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aHandshakeWithAHeaderGivesABearer(boolean slow) throws Exception {
        harness.authenticator.slow = slow;
        FlightClient client = harness.flight();

        CredentialCallOption bearer = client.authenticateBasicToken("ann", FakeAuthenticator.passwordOf("ann"))
                .orElseThrow();

        FlightSqlClient sql = new FlightSqlClient(client);
        var info = sql.execute("numbers", bearer);
        assertThat(FrontHarness.numbers(sql.getStream(info.getEndpoints().get(0).getTicket(), bearer)))
                .hasSize(3);
        assertThat(harness.queries.last().identity.user()).isEqualTo("ann");
    }

    @Test
    void theOlderHandshakeWorksToo() throws Exception {
        FlightClient client = harness.flight();

        client.authenticateBasic("ann", FakeAuthenticator.passwordOf("ann"));

        FlightSqlClient sql = new FlightSqlClient(client);
        assertThat(FrontHarness.read(sql, sql.execute("numbers"))).hasSize(3);
    }

    @Test
    void aWrongOrMissingPasswordFailsAtConnect() {
        assertStatus(
                () -> harness.flight().authenticateBasicToken("ann", "wrong"),
                FlightStatusCode.UNAUTHENTICATED,
                "wrong");
        assertStatus(
                () -> harness.flight().authenticateBasicToken("ann", ""), FlightStatusCode.UNAUTHENTICATED, "password");
        assertStatus(
                () -> harness.flight().authenticateBasicToken("nobody", "x"),
                FlightStatusCode.UNAUTHENTICATED,
                "wrong");
        assertThatThrownBy(() -> harness.flight().authenticateBasic("ann", "wrong"))
                .hasStackTraceContaining("UNAUTHENTICATED");
        assertThatThrownBy(() -> harness.flight().authenticateBasic("ann", ""))
                .hasStackTraceContaining("UNAUTHENTICATED");
    }

    @Test
    void aHandshakeWithNothingInItIsRefused() {
        CompletableFuture<Void> end = new CompletableFuture<>();
        StreamObserver<Flight.HandshakeRequest> requests = FlightServiceGrpc.newStub(channel)
                .handshake(new StreamObserver<>() {
                    @Override
                    public void onNext(Flight.HandshakeResponse value) {}

                    @Override
                    public void onError(Throwable failure) {
                        end.completeExceptionally(failure);
                    }

                    @Override
                    public void onCompleted() {
                        end.complete(null);
                    }
                });
        requests.onCompleted();

        assertThatThrownBy(() -> end.get(5, TimeUnit.SECONDS)).hasMessageContaining("UNAUTHENTICATED");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Basic ???", "Basic YW5u", "Digest x", "Bearer forged", "nonsense"})
    void credentialsThatCannotBeReadAreUnauthenticated(String header) {
        assertStatus(
                () -> harness.client("authorization", header).execute("numbers"), FlightStatusCode.UNAUTHENTICATED, "");
    }

    @Test
    void aCallWithAPasswordIsAnsweredWithABearerThatWorks() {
        Metadata headers = new Metadata();
        headers.put(CallCredentials.AUTHORIZATION, FrontHarness.basic("ann", FakeAuthenticator.passwordOf("ann")));
        AtomicReference<Metadata> answer = new AtomicReference<>();
        AtomicReference<Metadata> trailers = new AtomicReference<>();

        listActions(headers, MetadataUtils.newCaptureMetadataInterceptor(answer, trailers));
        String bearer = answer.get().get(CallCredentials.AUTHORIZATION);

        assertThat(bearer).startsWith("Bearer ");
        Metadata second = new Metadata();
        second.put(CallCredentials.AUTHORIZATION, bearer);
        AtomicReference<Metadata> secondAnswer = new AtomicReference<>();
        assertThat(listActions(second, MetadataUtils.newCaptureMetadataInterceptor(secondAnswer, trailers)))
                .isNotEmpty();
        assertThat(secondAnswer.get().get(CallCredentials.AUTHORIZATION)).isNull();
    }

    @Test
    void aCheckThatIsTooBusyMayBeTriedAgain() {
        harness.authenticator.busy = true;

        assertStatus(
                () -> harness.as("ann").execute("numbers"), FlightStatusCode.RESOURCE_EXHAUSTED, "Too many checks");
    }

    private List<Flight.ActionType> listActions(Metadata headers, ClientInterceptor capture) {
        List<Flight.ActionType> types = new ArrayList<>();
        ClientCalls.blockingServerStreamingCall(
                        ClientInterceptors.intercept(
                                channel, MetadataUtils.newAttachHeadersInterceptor(headers), capture),
                        FlightServiceGrpc.getListActionsMethod(),
                        CallOptions.DEFAULT,
                        Flight.Empty.getDefaultInstance())
                .forEachRemaining(types::add);
        return types;
    }

    @SuppressWarnings("unchecked")
    private <Q, R> StatusRuntimeException callWithout(MethodDescriptor<Q, R> method) {
        CompletableFuture<StatusRuntimeException> failure = new CompletableFuture<>();
        StreamObserver<R> answer = new StreamObserver<>() {
            @Override
            public void onNext(R value) {}

            @Override
            public void onError(Throwable thrown) {
                failure.complete((StatusRuntimeException) thrown);
            }

            @Override
            public void onCompleted() {
                failure.complete(new StatusRuntimeException(Status.OK.withDescription(CallStatus.INTERNAL.toString())));
            }
        };
        Q request = ((MethodDescriptor.PrototypeMarshaller<Q>) method.getRequestMarshaller()).getMessagePrototype();
        var call = channel.newCall(method, CallOptions.DEFAULT);
        if (method.getType().clientSendsOneMessage()) {
            ClientCalls.asyncServerStreamingCall(call, request, answer);
        } else {
            StreamObserver<Q> requests = ClientCalls.asyncBidiStreamingCall(call, answer);
            requests.onNext(request);
            requests.onCompleted();
        }
        return failure.orTimeout(5, TimeUnit.SECONDS).join();
    }
}
