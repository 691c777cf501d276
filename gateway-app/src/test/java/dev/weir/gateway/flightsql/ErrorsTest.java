package dev.weir.gateway.flightsql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.Any;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import dev.weir.gateway.flightsql.FakeQueries.Script;
import dev.weir.gateway.query.ErrorDetails;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import io.grpc.CallOptions;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.impl.Flight;
import org.apache.arrow.flight.impl.FlightServiceGrpc;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.apache.arrow.flight.sql.impl.FlightSql;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ErrorsTest {

    private final FrontHarness harness = new FrontHarness();
    private final ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", harness.front.port())
            .usePlaintext()
            .build();

    @AfterEach
    void close() throws Exception {
        channel.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
        harness.close();
    }

    @ParameterizedTest
    @EnumSource(GatewayErrorCode.class)
    void everyCodeHasItsStatusAndDetails(GatewayErrorCode code) throws Exception {
        ErrorDetails details = new ErrorDetails(
                "q-77",
                null,
                12,
                new ErrorDetails.Limit("user", "max-queued", "100"),
                Duration.ofMillis(2_500),
                Duration.ofSeconds(9),
                4,
                null,
                null);
        harness.queries.failures.put("broken", new GatewayException(code, "It went wrong: ü.", details));

        StatusRuntimeException failure = run("broken");

        assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.valueOf(code.grpcStatus()));
        assertThat(failure.getStatus().getDescription()).isEqualTo("It went wrong: ü.");
        Metadata trailers = failure.getTrailers();
        assertThat(trailers.get(FlightErrors.ERROR_CODE)).isEqualTo(code.name());
        assertThat(trailers.get(FlightErrors.SQL_STATE)).isEqualTo(code.sqlState());
        assertThat(trailers.get(FlightErrors.QUERY_ID)).isEqualTo("q-77");
        com.google.rpc.Status status = com.google.rpc.Status.parseFrom(trailers.get(FlightErrors.STATUS_DETAILS));
        assertThat(status.getCode()).isEqualTo(failure.getStatus().getCode().value());
        ErrorInfo info = status.getDetails(0).unpack(ErrorInfo.class);
        assertThat(info.getReason()).isEqualTo(code.name());
        assertThat(info.getDomain()).isEqualTo("weir");
        assertThat(info.getMetadataMap())
                .containsEntry("queryId", "q-77")
                .containsEntry("limitName", "max-queued")
                .containsEntry("limitScope", "user")
                .containsEntry("limitValue", "100")
                .containsEntry("sqlPosition", "12")
                .containsEntry("position", "4")
                .containsEntry("predictedWaitMs", "9000")
                .containsEntry("retryable", Boolean.toString(code.retryable()))
                .containsEntry("started", Boolean.toString(code.started()));
        assertThat(status.getDetailsCount()).isEqualTo(code.retryable() ? 2 : 1);
        if (code.retryable()) {
            RetryInfo retry = status.getDetails(1).unpack(RetryInfo.class);
            assertThat(retry.getRetryDelay().getSeconds()).isEqualTo(2);
            assertThat(retry.getRetryDelay().getNanos()).isEqualTo(500_000_000);
        }
    }

    @Test
    void theEnginesSqlStateWins() {
        ErrorDetails details = new ErrorDetails(null, "42P01", null, null, null, null, null, null, null);
        harness.queries.failures.put(
                "broken", new GatewayException(GatewayErrorCode.INVALID_SQL, "No such table.", details));

        assertThat(run("broken").getTrailers().get(FlightErrors.SQL_STATE)).isEqualTo("42P01");
    }

    @Test
    void aConflictThatMayBeTriedAgainSaysSo() throws Exception {
        ErrorDetails details = new ErrorDetails(null, null, null, null, null, null, null, true, null);
        harness.queries.failures.put(
                "broken", new GatewayException(GatewayErrorCode.CONFLICT, "Write-write conflict.", details));

        StatusRuntimeException failure = run("broken");

        assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.ABORTED);
        assertThat(com.google.rpc.Status.parseFrom(failure.getTrailers().get(FlightErrors.STATUS_DETAILS))
                        .getDetails(1)
                        .is(RetryInfo.class))
                .isTrue();
    }

    @Test
    void anUnexpectedFailureShowsAnIdAndNothingElse() {
        harness.queries.scripts.put("numbers", Script.numbers(1, 1));
        harness.queries.catalog = request -> {
            throw new IllegalStateException("/secret/path");
        };
        FlightSqlClient client = harness.as("ann");

        FlightRuntimeException failure = catchThrowableOfType(
                FlightRuntimeException.class, () -> FrontHarness.read(client, client.getCatalogs()));

        assertThat(failure.status().code()).isEqualTo(FlightStatusCode.INTERNAL);
        assertThat(failure.getMessage()).contains("Internal error").doesNotContain("secret");
    }

    @Test
    void aVeryLongMessageIsCutSoThatClientsTakeTheTrailers() {
        harness.queries.failures.put("broken", new GatewayException(GatewayErrorCode.INVALID_SQL, "ü".repeat(20_000)));

        StatusRuntimeException failure = run("broken");

        assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
        assertThat(failure.getStatus().getDescription()).startsWith("üü").endsWith("...");
    }

    @Test
    void aFailureAfterTheFirstBatchReachesTheClient() throws Exception {
        harness.queries.scripts.put("numbers", Script.numbers(5, 1));
        harness.queries.holdBatches = true;
        FlightSqlClient client = harness.as("ann");
        var info = client.execute("numbers");
        try (var stream = client.getStream(info.getEndpoints().get(0).getTicket())) {
            org.awaitility.Awaitility.await()
                    .until(() -> !harness.queries.executions.isEmpty()
                            && harness.queries.last().numbers != null
                            && harness.queries.last().numbers.pulls.get() == 1);
            harness.queries.last().numbers.give();
            assertThat(stream.next()).isTrue();
            org.awaitility.Awaitility.await()
                    .until(() -> harness.queries.last().numbers.pulls.get() == 2);
            harness.queries
                    .last()
                    .numbers
                    .fail(new GatewayException(GatewayErrorCode.EXECUTION_FAILED, "Division by zero."));

            FlightRuntimeException failure = catchThrowableOfType(FlightRuntimeException.class, stream::next);
            assertThat(failure.status().code()).isEqualTo(FlightStatusCode.INVALID_ARGUMENT);
            assertThat(failure.getMessage()).contains("Division by zero");
            assertThat(failure.status().metadata().get("x-weir-query-id")).isEqualTo("q-0");
        }
    }

    /** The status as gRPC has it: the Java Flight client knows fewer codes. */
    private StatusRuntimeException run(String sql) {
        Metadata headers = new Metadata();
        headers.put(CallCredentials.AUTHORIZATION, FrontHarness.basic("ann", FakeAuthenticator.passwordOf("ann")));
        Flight.Ticket ticket = Flight.Ticket.newBuilder()
                .setTicket(Any.pack(FlightSql.CommandStatementQuery.newBuilder()
                                .setQuery(sql)
                                .build())
                        .toByteString())
                .build();
        return catchThrowableOfType(
                StatusRuntimeException.class,
                () -> ClientCalls.blockingServerStreamingCall(
                                ClientInterceptors.intercept(
                                        channel, MetadataUtils.newAttachHeadersInterceptor(headers)),
                                FlightServiceGrpc.getDoGetMethod(),
                                CallOptions.DEFAULT,
                                ticket)
                        .forEachRemaining(data -> {}));
    }
}
