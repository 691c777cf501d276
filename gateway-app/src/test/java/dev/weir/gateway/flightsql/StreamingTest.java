package dev.weir.gateway.flightsql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.weir.gateway.flightsql.FakeQueries.Script;
import dev.weir.gateway.query.CancelReason;
import dev.weir.gateway.query.ErrorDetails;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import dev.weir.gateway.query.QueryState;
import java.time.Duration;
import java.util.List;
import org.apache.arrow.flight.CancelFlightInfoRequest;
import org.apache.arrow.flight.CancelStatus;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.sql.CancelResult;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class StreamingTest {

    private final FrontHarness harness = new FrontHarness();
    private final FakeQueries queries = harness.queries;
    private final FlightClient ann = harness.flightAs("ann");
    private final FlightSqlClient client = new FlightSqlClient(ann);

    @BeforeEach
    void scripts() {
        queries.scripts.put("numbers", Script.numbers(4, 2));
        queries.scripts.put("insert", Script.update(1));
        queries.scripts.put("endless", Script.numbers(Integer.MAX_VALUE, 128 << 10));
    }

    @AfterEach
    void close() throws Exception {
        harness.close();
    }

    @Test
    void aReaderThatTakesNothingHasFewBatchesPulledForIt() throws Exception {
        FlightInfo info = client.execute("endless");
        try (FlightStream stream = client.getStream(info.getEndpoints().get(0).getTicket())) {
            assertThat(stream.next()).isTrue();
            await().until(() -> queries.last().numbers.pulls.get() > 1);

            // 1 MiB a batch; the transport's threshold and window, and the client's own queue of a few messages.
            await().during(Duration.ofMillis(500))
                    .atMost(Duration.ofSeconds(20))
                    .until(() -> {
                        int pulls = queries.last().numbers.pulls.get();
                        return pulls < 30;
                    });
            int pulled = queries.last().numbers.pulls.get();
            for (int batch = 0; batch < 40; batch++) {
                assertThat(stream.next()).isTrue();
            }
            assertThat(queries.last().numbers.pulls.get()).isGreaterThan(pulled);
            stream.cancel("enough", null);
        }
        await().until(() -> queries.last().done.isDone());
    }

    @Test
    void aClientThatCancelsInTheMiddleEndsTheQuery() throws Exception {
        FlightInfo info = client.execute("endless");
        try (FlightStream stream = client.getStream(info.getEndpoints().get(0).getTicket())) {
            assertThat(stream.next()).isTrue();
            stream.cancel("enough", null);
        }

        await().until(() -> queries.last().done.isDone());
        assertThat(queries.last().cancels).containsExactly(CancelReason.CLIENT_GONE);
        await().until(() -> queries.last().numbers.closes.get() > 0);
    }

    @Test
    void aClientThatCancelsWhileTheEngineWorksEndsTheQuery() throws Exception {
        queries.holdBatches = true;
        FlightInfo info = client.execute("numbers");
        try (FlightStream stream = client.getStream(info.getEndpoints().get(0).getTicket())) {
            await().until(() -> !queries.executions.isEmpty()
                    && queries.last().numbers != null
                    && queries.last().numbers.pulls.get() == 1);
            stream.cancel("enough", null);
        }

        await().until(() -> queries.last().done.isDone());
        assertThat(queries.last().cancels).containsExactly(CancelReason.CLIENT_GONE);
    }

    @Test
    void aClientThatCancelsWhileQueuedEndsTheQuery() throws Exception {
        queries.holdQueued = true;
        FlightInfo info = client.execute("numbers");
        try (FlightStream stream = client.getStream(info.getEndpoints().get(0).getTicket())) {
            await().until(() -> !queries.executions.isEmpty());
            stream.cancel("enough", null);
        }

        await().until(() -> queries.last().done.isDone());
        assertThat(queries.last().cancels).containsExactly(CancelReason.CLIENT_GONE);
    }

    @Test
    void aConnectionThatBreaksEndsItsQueries() throws Exception {
        queries.holdQueued = true;
        FlightClient gone = harness.flightAs("ann");
        FlightSqlClient goneSql = new FlightSqlClient(gone);
        FlightInfo info = goneSql.execute("numbers");
        FlightStream stream = goneSql.getStream(info.getEndpoints().get(0).getTicket());
        await().until(() -> !queries.executions.isEmpty());

        stream.cancel("connection", null);
        stream.close();
        gone.close();

        await().until(() -> queries.last().done.isDone());
        assertThat(queries.last().cancels).containsExactly(CancelReason.CLIENT_GONE);
    }

    @Test
    void aClientThatLeavesAnUpdateEndsIt() throws Exception {
        queries.holdQueued = true;
        var cancellable = io.grpc.Context.current().withCancellation();
        Thread caller = new Thread(cancellable.wrap(() -> {
            try {
                client.executeUpdate("insert");
            } catch (RuntimeException expected) {
                // Cancelled below.
            }
        }));
        caller.start();
        await().until(() -> !queries.executions.isEmpty());

        cancellable.cancel(null);

        await().until(() -> queries.last().done.isDone());
        assertThat(queries.last().cancels).containsExactly(CancelReason.CLIENT_GONE);
        caller.join(5_000);
        assertThat(caller.isAlive()).isFalse();
    }

    @Test
    void aCancelByInfoStopsTheRunningQuery() throws Exception {
        queries.holdBatches = true;
        FlightInfo info = client.execute("numbers");
        try (FlightStream stream = client.getStream(info.getEndpoints().get(0).getTicket())) {
            await().until(() -> !queries.executions.isEmpty());

            CancelStatus status =
                    client.cancelFlightInfo(new CancelFlightInfoRequest(info)).getStatus();

            assertThat(status).isEqualTo(CancelStatus.CANCELLED);
            assertThat(queries.last().cancels).containsExactly(CancelReason.CLIENT_CANCEL);
            FlightRuntimeException failure = catchThrowableOfType(FlightRuntimeException.class, stream::next);
            assertThat(failure.status().code()).isEqualTo(FlightStatusCode.CANCELLED);
        }
    }

    @Test
    @SuppressWarnings("deprecation")
    void theOlderCancelDoesTheSame() throws Exception {
        queries.holdQueued = true;
        FlightInfo info = client.execute("numbers");
        try (FlightStream stream = client.getStream(info.getEndpoints().get(0).getTicket())) {
            await().until(() -> !queries.executions.isEmpty());

            assertThat(client.cancelQuery(info)).isEqualTo(CancelResult.CANCELLED);
            assertThat(queries.last().cancels).containsExactly(CancelReason.CLIENT_CANCEL);
        }
    }

    @Test
    void aCancelOfWhatWasNotStartedMakesTheTicketUseless() {
        FlightInfo info = client.execute("numbers");

        assertThat(cancel(info)).isEqualTo(CancelStatus.CANCELLED);
        assertThat(cancel(info)).isEqualTo(CancelStatus.CANCELLED);

        FlightRuntimeException failure =
                catchThrowableOfType(FlightRuntimeException.class, () -> FrontHarness.read(client, info));
        assertThat(failure.status().code()).isEqualTo(FlightStatusCode.CANCELLED);
        assertThat(queries.executions).isEmpty();
    }

    @Test
    void aCancelOfWhatIsDoneComesTooLate() throws Exception {
        FlightInfo info = client.execute("numbers");
        FrontHarness.read(client, info);
        await().until(() -> queries.last().done.isDone());

        assertThat(cancel(info)).isEqualTo(CancelStatus.NOT_CANCELLABLE);
    }

    @Test
    void onlyTheOwnerAndAdministratorsCancel() throws Exception {
        queries.holdQueued = true;
        FlightInfo info = client.execute("numbers");
        try (FlightStream stream = client.getStream(info.getEndpoints().get(0).getTicket())) {
            await().until(() -> !queries.executions.isEmpty());

            StatementsTest.assertStatus(
                    () -> harness.as("bob").cancelFlightInfo(new CancelFlightInfoRequest(info)),
                    FlightStatusCode.NOT_FOUND,
                    "no such query");
            assertThat(queries.last().cancels).isEmpty();
            harness.as("root").cancelFlightInfo(new CancelFlightInfoRequest(info));
            assertThat(queries.last().cancels).hasSize(1);
        }
    }

    @Test
    void aCancelFindsAQueryThatRunsLongerThanItsTicketLives() throws Exception {
        queries.holdBatches = true;
        FlightInfo info = client.execute("numbers");
        try (FlightStream stream = client.getStream(info.getEndpoints().get(0).getTicket())) {
            await().until(() -> !queries.executions.isEmpty());
            harness.clock.advance(FrontHarness.TICKET_TTL.multipliedBy(3));

            assertThat(cancel(info)).isEqualTo(CancelStatus.CANCELLED);
        }
    }

    @Test
    void aQueryEndedElsewhereWhileTheClientDoesNotReadEndsTheCall() throws Exception {
        FlightInfo info = client.execute("endless");
        try (FlightStream stream = client.getStream(info.getEndpoints().get(0).getTicket())) {
            assertThat(stream.next()).isTrue();
            GatewayException stalled = new GatewayException(
                    GatewayErrorCode.CLIENT_STALLED, "The client took nothing.", ErrorDetails.NONE.withQueryId("q-0"));
            queries.last().end(QueryState.FAILED, stalled.code(), stalled.text());
            queries.last().numbers.abort(stalled);

            await().until(() -> queries.last().numbers.closes.get() > 0);
            FlightRuntimeException failure = catchThrowableOfType(FlightRuntimeException.class, () -> {
                while (stream.next()) {}
            });
            assertThat(failure.status().code()).isEqualTo(FlightStatusCode.TIMED_OUT);
        }
    }

    @Test
    void aStopLetsStreamsFinish() throws Exception {
        queries.holdBatches = true;
        FlightInfo info = client.execute("numbers");
        try (FlightStream stream = client.getStream(info.getEndpoints().get(0).getTicket())) {
            await().until(() -> !queries.executions.isEmpty()
                    && queries.last().numbers.pulls.get() == 1);
            Thread stop = new Thread(() -> harness.front.stop(Duration.ofSeconds(20)));
            stop.start();
            await().until(() -> !harness.front.isRunning());

            queries.holdBatches = false;
            queries.last().numbers.give();

            assertThat(FrontHarness.numbers(stream)).hasSize(8);
            stop.join(10_000);
            assertThat(stop.isAlive()).isFalse();
        }
        assertThat(queries.last().cancels).isEmpty();
    }

    @Test
    void aStopCancelsWhatOutlastsTheGrace() throws Exception {
        queries.holdBatches = true;
        FlightInfo info = client.execute("numbers");
        try (FlightStream stream = client.getStream(info.getEndpoints().get(0).getTicket())) {
            await().until(() -> !queries.executions.isEmpty()
                    && queries.last().numbers.pulls.get() == 1);

            harness.front.stop(Duration.ofMillis(50));

            assertThat(queries.last().cancels).isEqualTo(List.of(CancelReason.DRAIN));
            assertThat(catchThrowableOfType(FlightRuntimeException.class, stream::next))
                    .isNotNull();
        }
    }

    private CancelStatus cancel(FlightInfo info) {
        return client.cancelFlightInfo(new CancelFlightInfoRequest(info)).getStatus();
    }
}
