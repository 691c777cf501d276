package dev.weir.gateway.flightsql;

import static dev.weir.gateway.flightsql.PollClient.answer;
import static dev.weir.gateway.flightsql.PollClient.descriptor;
import static dev.weir.gateway.flightsql.PollClient.refused;
import static dev.weir.gateway.flightsql.PollClient.status;
import static dev.weir.gateway.flightsql.PollClient.ticket;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.common.util.concurrent.ListenableFuture;
import dev.weir.engine.StatementKind;
import dev.weir.gateway.flightsql.FakeQueries.Script;
import dev.weir.gateway.query.CancelReason;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.impl.Flight;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The life of a polled query, on a clock that the test moves. */
class PollTest {

    private final FrontHarness harness = new FrontHarness();
    private final FakeQueries queries = harness.queries;
    private final PollClient polls = new PollClient(harness);

    @BeforeEach
    void scripts() {
        queries.scripts.put("numbers", Script.numbers(3, 2));
        queries.scripts.put("insert", Script.update(7));
        queries.scripts.put(
                "returning",
                new Script(StatementKind.DML, FakeQueries.NUMBERS, FakeQueries.NONE, 2, 3, OptionalLong.empty()));
    }

    @AfterEach
    void close() throws Exception {
        polls.close();
        harness.close();
    }

    private List<Long> read(Flight.PollInfo complete) throws Exception {
        return FrontHarness.read(harness.flightAs("ann"), ticket(complete));
    }

    private static Instant expiry(Flight.PollInfo poll) {
        return Instant.ofEpochSecond(
                poll.getExpirationTime().getSeconds(), poll.getExpirationTime().getNanos());
    }

    private Flight.PollInfo queued(String sql) {
        queries.holdQueued = true;
        queries.position = 3;
        return polls.submit("ann", sql);
    }

    @Test
    void aQueryThatRunsAtOnceIsCompleteInTheFirstAnswerAndReadOnce() throws Exception {
        Flight.PollInfo complete = polls.submit("ann", "numbers");

        assertThat(complete.hasFlightDescriptor()).isFalse();
        assertThat(complete.hasProgress()).isFalse();
        assertThat(complete.getInfo().getSchema()).isEqualTo(ArrowSchemas.serialize(FakeQueries.NUMBERS));
        assertThat(complete.getInfo().getEndpointList()).hasSize(1);
        assertThat(complete.getInfo().getEndpoint(0).hasExpirationTime()).isFalse();
        assertThat(expiry(complete)).isEqualTo(harness.clock.instant().plus(FrontHarness.CLAIM_TIMEOUT));
        assertThat(status(complete).get("queryId").stringValue())
                .isEqualTo(queries.last().id());
        assertThat(read(complete)).containsExactly(0L, 1L, 2L, 3L, 4L, 5L);
        StatementsTest.assertStatus(() -> read(complete), FlightStatusCode.INTERNAL, "once");
        assertThat(queries.executions).hasSize(1);
        assertThat(queries.last().cancels).isEmpty();
    }

    @Test
    void aQueuedQueryTellsItsPlaceAndIsSubmittedOnce() throws Exception {
        Flight.PollInfo first = queued("numbers");

        assertThat(first.getInfo().getEndpointList()).isEmpty();
        assertThat(first.getInfo().getSchema()).isEqualTo(ArrowSchemas.serialize(FakeQueries.NUMBERS));
        assertThat(first.hasProgress()).isFalse();
        assertThat(expiry(first)).isEqualTo(harness.clock.instant().plus(FrontHarness.CLAIM_TIMEOUT));
        assertThat(status(first).get("state").stringValue()).isEqualTo("QUEUED");
        assertThat(status(first).get("position").intValue()).isEqualTo(3);
        assertThat(status(first).get("predictedWaitMs").longValue()).isEqualTo(4_000);
        assertThat(status(first).at("/limit/scope").stringValue()).isEqualTo("global");
        assertThat(status(first).at("/limit/name").stringValue()).isEqualTo("max-running");
        assertThat(status(first).at("/limit/value").stringValue()).isEqualTo("1");

        ListenableFuture<Flight.PollInfo> waiting = waiting(first);
        queries.position = 2;
        Flight.PollInfo second = answerAfter(waiting, Duration.ofSeconds(1));
        assertThat(status(second).get("position").intValue()).isEqualTo(2);

        ListenableFuture<Flight.PollInfo> opening = waiting(second);
        queries.last().open();
        Flight.PollInfo complete = answer(opening);
        assertThat(complete.hasFlightDescriptor()).isFalse();
        assertThat(read(complete)).hasSize(6);
        assertThat(queries.executions).hasSize(1);
    }

    @Test
    void aPollWaitsForNewsAndNoLongerThanItsBound() {
        Flight.PollInfo first = queued("numbers");

        Flight.PollInfo second = answerAfter(waiting(first), Polls.LONGEST_WAIT);

        assertThat(second.hasFlightDescriptor()).isTrue();
        assertThat(status(second)).isEqualTo(status(first));
        assertThat(expiry(second)).isAfterOrEqualTo(expiry(first).plus(Polls.LONGEST_WAIT));
    }

    @Test
    void anAnswerThatWasLostCanBeAskedForAgain() {
        Flight.PollInfo first = queued("numbers");
        queries.position = 2;

        assertThat(status(polls.poll("ann", first.getFlightDescriptor()))
                        .get("position")
                        .intValue())
                .isEqualTo(2);
        assertThat(status(polls.poll("ann", first.getFlightDescriptor()))
                        .get("position")
                        .intValue())
                .isEqualTo(2);
    }

    @Test
    void ofTwoPollsThatWaitTheOlderIsAnswered() {
        Flight.PollInfo first = queued("numbers");
        ListenableFuture<Flight.PollInfo> older = waiting(first);

        ListenableFuture<Flight.PollInfo> newer = polls.start("ann", first.getFlightDescriptor());

        assertThat(answer(older).hasFlightDescriptor()).isTrue();
        queries.last().open();
        assertThat(answer(newer).hasFlightDescriptor()).isFalse();
    }

    @Test
    void aGrantThatNobodyClaimsIsCancelled() throws Exception {
        Flight.PollInfo first = queued("numbers");
        queries.last().open();
        Flight.PollInfo complete = polls.poll("ann", first.getFlightDescriptor());
        harness.clock.advance(FrontHarness.CLAIM_TIMEOUT.minusSeconds(2));
        assertThat(polls.poll("ann", first.getFlightDescriptor()).getInfo().getEndpointCount())
                .as("asking again does not keep it")
                .isOne();
        assertThat(queries.last().cancels).isEmpty();

        harness.clock.advance(Duration.ofSeconds(3));

        await().atMost(5, TimeUnit.SECONDS)
                .untilAsserted(() -> assertThat(queries.last().cancels).containsExactly(CancelReason.CLIENT_GONE));
        await().atMost(5, TimeUnit.SECONDS)
                .until(() -> queries.last().numbers.closes.get() > 0);
        StatementsTest.assertStatus(() -> read(complete), FlightStatusCode.NOT_FOUND, "weir.flight.claim-timeout");
        refused(
                () -> polls.poll("ann", first.getFlightDescriptor()),
                GatewayErrorCode.NOT_FOUND,
                "weir.flight.claim-timeout");
    }

    @Test
    void aResultThatIsReadIsNoLongerBoundToThatTime() throws Exception {
        queries.holdBatches = true;
        Flight.PollInfo first = queued("numbers");
        queries.last().open();
        Flight.PollInfo complete = polls.poll("ann", first.getFlightDescriptor());
        try (var stream = harness.flightAs("ann").getStream(ticket(complete))) {
            await().atMost(5, TimeUnit.SECONDS)
                    .until(() -> queries.last().numbers.pulls.get() == 1);
            harness.clock.advance(FrontHarness.CLAIM_TIMEOUT.multipliedBy(3));
            refused(() -> polls.poll("ann", first.getFlightDescriptor()), GatewayErrorCode.CONFLICT, "claimed already");
            queries.holdBatches = false;
            queries.last().numbers.give();
            assertThat(FrontHarness.numbers(stream)).hasSize(6);
        }
        assertThat(queries.last().cancels).isEmpty();
    }

    @Test
    void aClientThatStopsPollingLosesItsPlaceInTheQueue() {
        Flight.PollInfo first = queued("numbers");
        harness.clock.advance(FrontHarness.POLL_TIMEOUT.minusSeconds(5));
        queries.position = 2;
        Flight.PollInfo second = polls.poll("ann", first.getFlightDescriptor());
        harness.clock.advance(FrontHarness.POLL_TIMEOUT.minusSeconds(5));
        queries.position = 1;
        Flight.PollInfo third = polls.poll("ann", second.getFlightDescriptor());
        assertThat(queries.last().cancels).isEmpty();

        harness.clock.advance(FrontHarness.POLL_TIMEOUT);

        await().atMost(5, TimeUnit.SECONDS)
                .untilAsserted(() -> assertThat(queries.last().cancels).containsExactly(CancelReason.CLIENT_GONE));
        refused(
                () -> polls.poll("ann", third.getFlightDescriptor()),
                GatewayErrorCode.NOT_FOUND,
                "weir.flight.poll-timeout");
    }

    @Test
    void oneThatRunsKeepsItsSlotForTheShorterTimeOnly() {
        queued("numbers");
        queries.position = 0;
        harness.clock.advance(Duration.ofSeconds(2));
        // Seen as granted at the next look; from then on the claim's time counts.
        await().atMost(5, TimeUnit.SECONDS).until(() -> {
            harness.clock.advance(Duration.ofSeconds(1));
            return !queries.last().cancels.isEmpty();
        });

        assertThat(Duration.between(Instant.parse("2026-01-01T00:00:00Z"), harness.clock.instant()))
                .isLessThan(FrontHarness.POLL_TIMEOUT);
    }

    @Test
    void aCallThatIsGivenUpDoesNotEndTheQueryAndTheFirstOneDoes() {
        Flight.PollInfo first = queued("numbers");
        ListenableFuture<Flight.PollInfo> waiting = waiting(first);
        waiting.cancel(true);
        queries.last().open();
        assertThat(polls.poll("ann", first.getFlightDescriptor()).hasFlightDescriptor())
                .isFalse();
        assertThat(queries.last().cancels).isEmpty();

        queries.position = 0;
        ListenableFuture<Flight.PollInfo> unanswered = polls.start("ann", descriptor("numbers"));
        await().atMost(5, TimeUnit.SECONDS).until(() -> queries.executions.size() == 2);
        unanswered.cancel(true);
        await().atMost(5, TimeUnit.SECONDS)
                .untilAsserted(() -> assertThat(queries.last().cancels).containsExactly(CancelReason.CLIENT_GONE));
    }

    @Test
    void aStatementWithoutRowsRunsOnceAndItsCountCanBeReadAgain() throws Exception {
        Flight.PollInfo first = queued("insert");
        assertThat(first.hasFlightDescriptor()).isTrue();
        queries.last().open();

        Flight.PollInfo complete = polls.poll("ann", first.getFlightDescriptor());
        harness.clock.advance(FrontHarness.CLAIM_TIMEOUT.plusSeconds(5));

        assertThat(complete.hasFlightDescriptor()).isFalse();
        assertThat(complete.getInfo().getSchema()).isEqualTo(ArrowSchemas.serialize(ArrowSchemas.COUNT));
        assertThat(status(complete).get("state").stringValue()).isEqualTo("FINISHED");
        assertThat(read(complete)).containsExactly(7L);
        assertThat(read(complete)).containsExactly(7L);
        assertThat(read(polls.poll("ann", first.getFlightDescriptor()))).containsExactly(7L);
        assertThat(queries.executions).hasSize(1);
    }

    @Test
    void aStatementThatWritesAndGivesRowsRunsOnce() throws Exception {
        Flight.PollInfo complete = polls.submit("ann", "returning");

        assertThat(read(complete)).hasSize(6);
        StatementsTest.assertStatus(() -> read(complete), FlightStatusCode.INTERNAL, "once");
        assertThat(queries.executions).hasSize(1);
    }

    @Test
    void oneThatNobodyReadIsNotSaidToBeUndone() {
        Flight.PollInfo complete = polls.submit("ann", "returning");
        harness.clock.advance(FrontHarness.CLAIM_TIMEOUT);
        await().atMost(5, TimeUnit.SECONDS)
                .untilAsserted(() -> assertThat(queries.last().cancels).containsExactly(CancelReason.CLIENT_GONE));

        StatementsTest.assertStatus(() -> read(complete), FlightStatusCode.UNKNOWN, "may have been committed");
    }

    @Test
    void aQueryThatFailsWhileItWaitsAnswersThePollThatWaits() {
        Flight.PollInfo first = queued("numbers");
        ListenableFuture<Flight.PollInfo> waiting = waiting(first);
        queries.last().fail(new GatewayException(GatewayErrorCode.QUEUE_TIMEOUT, "It waited too long."));

        refused(() -> answer(waiting), GatewayErrorCode.QUEUE_TIMEOUT, "too long");
        refused(() -> polls.poll("ann", first.getFlightDescriptor()), GatewayErrorCode.QUEUE_TIMEOUT, "too long");
    }

    @Test
    void aResultThatEndsUnreadIsToldToItsReader() {
        Flight.PollInfo complete = polls.submit("ann", "numbers");
        GatewayException timeout = new GatewayException(GatewayErrorCode.STATEMENT_TIMEOUT, "It ran too long.");
        queries.last().end(dev.weir.gateway.query.QueryState.FAILED, timeout.code(), timeout.text());
        queries.last().numbers.abort(timeout);

        StatementsTest.assertStatus(() -> read(complete), FlightStatusCode.TIMED_OUT, "too long");
    }

    @Test
    void theStopOfTheFrontEndsWhatNobodyReads() {
        polls.submit("ann", "numbers");

        harness.front.stop(Duration.ofSeconds(1));

        assertThat(queries.last().cancels).containsExactly(CancelReason.DRAIN);
        assertThat(queries.last().numbers.closes).hasPositiveValue();
    }

    /** A poll that has reached the front and waits there. */
    private ListenableFuture<Flight.PollInfo> waiting(Flight.PollInfo before) {
        int snapshots = queries.last().snapshots.get();
        ListenableFuture<Flight.PollInfo> poll = polls.start("ann", before.getFlightDescriptor());
        await().atMost(5, TimeUnit.SECONDS).until(() -> queries.last().snapshots.get() > snapshots);
        return poll;
    }

    /** Moves the clock until the poll is answered. */
    private Flight.PollInfo answerAfter(ListenableFuture<Flight.PollInfo> poll, Duration time) {
        await().atMost(10, TimeUnit.SECONDS)
                .pollInterval(Polls.LOOK_EVERY.multipliedBy(2))
                .until(() -> {
                    if (!poll.isDone()) {
                        harness.clock.advance(time);
                    }
                    return poll.isDone();
                });
        return answer(poll);
    }
}
