package dev.weir.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Test;

/** Queries that were granted here and for which the engine had no place. */
class GiveBackTest {

    private static final Duration BACKOFF = Duration.ofMillis(100);
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    @Test
    void itWaitsForTheEngineAndRunsWhenItsBackoffIsOver() {
        Gate gate = new Gate(Limits.running(2).perQuery(10));
        gate.learn("ann", Duration.ofMillis(1));
        Gate.Query query = gate.submit("ann");

        query.giveBack(BACKOFF);

        AdmissionSnapshot now = gate.controller.snapshot();
        assertThat(now.running()).isZero();
        assertThat(now.reservedBytes()).isZero();
        assertThat(now.queued()).isEqualTo(1);
        assertThat(now.reasons()).containsEntry(WaitReason.ENGINE, 1);
        WaitInfo wait = gate.wait(query);
        assertThat(wait.position()).isEqualTo(1);
        assertThat(wait.reason()).isEqualTo(WaitReason.ENGINE);
        assertThat(wait.predictedWait())
                .hasValueSatisfying(left -> assertThat(left).isGreaterThanOrEqualTo(BACKOFF));
        gate.time.advance(BACKOFF.minusNanos(1));
        assertThat(query.isWaiting()).isTrue();
        gate.time.advance(Duration.ofNanos(1));
        assertThat(query.isRunning()).isTrue();
        assertThat(gate.events.stream().filter(event -> event.endsWith(query.id)))
                .containsExactly("granted " + query.id, "returned " + query.id, "granted " + query.id);
        query.finish();
        gate.assertIdle();
        assertThat(gate.time.scheduled()).isLessThanOrEqualTo(1);
    }

    @Test
    void itIsAtTheHeadOfItsUsersQueueInTheOrderOfArrival() {
        Gate gate = new Gate(Limits.running(2));
        Gate.Query first = gate.submit("ann");
        Gate.Query second = gate.submit("ann");
        Gate.Query third = gate.submit("ann");

        second.giveBack(BACKOFF);
        first.giveBack(BACKOFF);

        assertThat(gate.wait(first).position()).isEqualTo(1);
        assertThat(gate.wait(second).position()).isEqualTo(2);
        assertThat(gate.wait(third).position()).isEqualTo(3);
        gate.time.advance(BACKOFF);
        assertThat(first.isRunning()).isTrue();
        assertThat(second.isRunning()).isTrue();
        assertThat(third.isWaiting()).isTrue();
    }

    @Test
    void itKeepsItsTurnBetweenUsersAndIsChargedNothing() {
        Gate gate = new Gate(Limits.running(1));
        gate.learn("ann", Duration.ofSeconds(10));
        Gate.Query query = gate.submit("ann");
        Gate.Query other = gate.submit("bob");
        gate.time.advance(Duration.ofSeconds(5));

        query.giveBack(BACKOFF);
        gate.time.advance(BACKOFF);

        assertThat(query.isRunning()).as("before bob, who came later").isTrue();
        assertThat(other.isWaiting()).isTrue();
    }

    @Test
    void nobodyElseIsSentToAnEngineThatIsFull() {
        Gate gate = new Gate(Limits.running(3));
        Gate.Query query = gate.submit("ann");
        query.giveBack(BACKOFF);

        Gate.Query newcomer = gate.submit("bob");

        assertThat(newcomer.isWaiting()).isTrue();
        assertThat(gate.wait(newcomer).reason()).isEqualTo(WaitReason.ENGINE);
        Explanation explained = gate.controller.explain(gate.request("eve", "x"));
        assertThat(explained.decision()).isEqualTo(Explanation.Decision.WAIT);
        assertThat(explained.waiting())
                .hasValueSatisfying(wait -> assertThat(wait.reason()).isEqualTo(WaitReason.ENGINE));
        gate.time.advance(BACKOFF);
        assertThat(query.isRunning()).isTrue();
        assertThat(newcomer.isRunning()).isTrue();
    }

    @Test
    void aPermitThatIsClosedLetsOneGoToTheEngine() {
        Gate gate = new Gate(Limits.running(3));
        Gate.Query runs = gate.submit("bob");
        Gate.Query query = gate.submit("ann");
        query.giveBack(BACKOFF);
        Gate.Query one = gate.submit("bob");
        Gate.Query two = gate.submit("bob");

        runs.finish();

        assertThat(query.isWaiting()).as("no sooner than its backoff").isTrue();
        assertThat(one.isRunning()).isTrue();
        assertThat(two.isWaiting()).isTrue();
    }

    @Test
    void theLongestBackoffCountsForOthers() {
        Gate gate = new Gate(Limits.running(2));
        Gate.Query patient = gate.submit("ann");
        Gate.Query eager = gate.submit("bob");
        patient.giveBack(BACKOFF.multipliedBy(4));
        eager.giveBack(BACKOFF);

        gate.time.advance(BACKOFF.multipliedBy(4).minusNanos(1));
        assertThat(eager.isWaiting()).isTrue();
        assertThat(gate.wait(eager).reason()).isEqualTo(WaitReason.ENGINE);
        gate.time.advance(Duration.ofNanos(1));

        assertThat(eager.isRunning()).isTrue();
        assertThat(patient.isRunning()).isTrue();
    }

    @Test
    void itsTimeToWaitGoesOnWhereItStopped() {
        Gate gate = new Gate(Limits.running(1).timeout(TIMEOUT));
        Gate.Query blocks = gate.submit("bob");
        Gate.Query query = gate.submit("ann");
        gate.time.advance(Duration.ofSeconds(50));
        blocks.finish();
        gate.time.advance(Duration.ofSeconds(3));

        query.giveBack(Duration.ofHours(1));

        gate.time.advance(Duration.ofSeconds(10).minusNanos(1));
        assertThat(query.isWaiting()).isTrue();
        assertThat(gate.wait(query).waited()).isEqualTo(TIMEOUT.minusNanos(1));
        gate.time.advance(Duration.ofNanos(1));
        assertThat(query.rejection).isInstanceOfSatisfying(Rejection.QueueTimeout.class, timeout -> {
            assertThat(timeout.limit()).isEqualTo(WaitReason.ENGINE);
            assertThat(timeout.queueTimeout()).isEqualTo(TIMEOUT);
        });
        gate.assertIdle();
    }

    @Test
    void oneThatMayNotWaitIsRefused() {
        Gate gate = new Gate(Limits.running(1));
        Gate.Query query = gate.submit("ann", Duration.ZERO);

        query.giveBack(BACKOFF);

        assertThat(query.rejection).isInstanceOf(Rejection.QueueTimeout.class);
        gate.assertIdle();
    }

    @Test
    void itHasItsPlaceInAQueueThatIsFull() {
        Gate gate = new Gate(Limits.running(1).queued(1));
        Gate.Query query = gate.submit("ann");
        Gate.Query waits = gate.submit("bob");

        query.giveBack(BACKOFF);
        Gate.Query refused = gate.submit("eve");

        assertThat(query.isWaiting()).isTrue();
        assertThat(waits.isWaiting()).isTrue();
        assertThat(refused.rejection).isInstanceOf(Rejection.QueueFull.class);
    }

    @Test
    void itIsNoTryForTheHistory() {
        Gate gate = new Gate(Limits.running(1));
        Gate.Query query = gate.submit("ann");
        gate.time.advance(Duration.ofSeconds(5));

        query.giveBack(BACKOFF);

        assertThat(gate.controller.history(10)).isEmpty();
    }

    @Test
    void itMayBeCancelledAndDrained() {
        Gate gate = new Gate(Limits.running(2));
        Gate.Query cancelled = gate.submit("ann");
        Gate.Query drained = gate.submit("bob");
        cancelled.giveBack(BACKOFF);
        drained.giveBack(BACKOFF);

        assertThat(cancelled.admission.cancel()).isTrue();
        var idle = gate.controller.drain();

        assertThat(cancelled.cancelled).isTrue();
        assertThat(drained.rejection).isInstanceOf(Rejection.Draining.class);
        assertThat(idle.toCompletableFuture()).isDone();
        gate.assertIdle();
    }

    @Test
    void givenBackWhileTheGatewayDrainsItIsRefusedAndThatWasTheLast() {
        Gate gate = new Gate(Limits.running(2));
        Gate.Query query = gate.submit("ann");
        var idle = gate.controller.drain();

        query.giveBack(BACKOFF);

        assertThat(query.rejection).isInstanceOf(Rejection.Draining.class);
        assertThat(idle.toCompletableFuture()).isDone();
        gate.assertIdle();
    }

    @Test
    void aReservationThatNobodyMayHaveAnyMoreIsRefused() {
        Gate gate = new Gate(Limits.running(2).memory(100));
        Gate.Query query = gate.submit("ann", 90);
        gate.controller.update(Limits.running(2).memory(50).build());

        query.giveBack(BACKOFF);

        assertThat(query.rejection).isInstanceOf(Rejection.MemoryTooLarge.class);
        gate.assertIdle();
    }

    @Test
    void aPermitIsGivenBackOrClosedOnceOnly() {
        Gate gate = new Gate(Limits.running(2));
        Gate.Query closed = gate.submit("ann");
        RunPermit permit = closed.permit;
        closed.finish();
        closed.giveBack(BACKOFF);
        assertThat(closed.cancelled).isTrue();

        Gate.Query query = gate.submit("bob");
        RunPermit first = query.permit;
        query.giveBack(BACKOFF);
        first.close(RunPermit.Outcome.FINISHED);
        assertThat(first.giveBack(BACKOFF).permit().toCompletableFuture()).isCompletedExceptionally();
        permit.close(RunPermit.Outcome.FAILED);

        assertThat(gate.controller.snapshot().queued()).isEqualTo(1);
        assertThat(gate.events.stream().filter(event -> event.startsWith("returned")))
                .hasSize(1);
        assertThat(gate.events.stream().filter(event -> event.startsWith("released")))
                .hasSize(1);
        Throwable[] failure = new Throwable[1];
        first.giveBack(BACKOFF).permit().whenComplete((nothing, thrown) -> failure[0] = thrown);
        assertThat(failure[0]).isInstanceOf(CancellationException.class);
    }

    @Test
    void aPausedQueryThatWantsItsSlotIsToldWhenItIsGivenBack() {
        Gate gate = new Gate(Tree.running(1));
        Gate.Query query = gate.submit("ann");
        assertThat(query.permit.pause()).isTrue();
        Gate.Query other = gate.submit("bob");
        var resumed = query.permit.resume();

        query.giveBack(BACKOFF);

        assertThat(resumed.toCompletableFuture()).isCompletedExceptionally();
        assertThat(gate.controller.snapshot().paused()).isZero();
        other.finish();
        gate.time.advance(BACKOFF);
        query.finish();
        gate.assertIdle();
    }

    @Test
    void anUnknownQueryThatTriedTheLaneWaitsWithAllOthers() {
        Gate gate = new Gate(Tree.running(1).lane(4));
        Gate.Query unknown = gate.submit(gate.request("ann", "new"));
        assertThat(unknown.permit.inShortLane()).isTrue();
        assertThat(unknown.permit.reservedBytes()).isEqualTo(1);

        unknown.giveBack(BACKOFF);
        gate.time.advance(BACKOFF);

        assertThat(unknown.permit.inShortLane()).isFalse();
        assertThat(unknown.permit.reservedBytes()).isEqualTo(4);
    }

    @Test
    void aShortQueryWaitsForTheLaneAgain() {
        Gate gate = new Gate(Tree.running(1).lane(4));
        gate.teach("ann", "short", Duration.ofMillis(1));
        Gate.Query query = gate.submit(gate.request("ann", "short"));

        query.giveBack(BACKOFF);
        gate.time.advance(BACKOFF);

        assertThat(query.permit.inShortLane()).isTrue();
        query.finish();
        gate.assertIdle();
    }

    @Test
    void aThousandThatAreSentBackDoNotHammerTheEngine() {
        Gate gate = new Gate(Limits.running(8));
        List<Gate.Query> queries = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            queries.add(gate.submit("user" + i));
        }
        int tries = 0;
        for (int round = 0; round < 20; round++) {
            for (Gate.Query query : queries) {
                if (query.isRunning()) {
                    tries++;
                    query.giveBack(BACKOFF);
                }
            }
            assertThat(gate.time.scheduled()).as("alarms").isLessThanOrEqualTo(2);
            gate.time.advance(BACKOFF);
        }
        assertThat(tries).as("a cap's worth in each backoff").isEqualTo(20 * 8);
        queries.forEach(query -> {
            if (query.isRunning()) {
                query.finish();
            } else {
                query.admission.cancel();
            }
        });
        queries.stream().filter(Gate.Query::isRunning).forEach(query -> query.permit.close(RunPermit.Outcome.FAILED));
        gate.assertIdle();
    }
}
