package dev.weir.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class QueueTimeoutTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    @Test
    void aWaiterIsRefusedWhenItsTimeIsUpAndNotBefore() {
        Gate gate = new Gate(Limits.running(1).timeout(TIMEOUT));
        Gate.Query running = gate.submit("ann");
        Gate.Query waiting = gate.submit("ann");

        gate.time.advance(TIMEOUT.minusNanos(1));
        assertThat(waiting.isWaiting()).isTrue();
        gate.time.advance(Duration.ofNanos(1));

        assertThat(waiting.rejection)
                .isEqualTo(new Rejection.QueueTimeout(WaitReason.MAX_RUNNING, TIMEOUT, 1, Duration.ofSeconds(1)));
        running.finish();
        gate.assertIdle();
    }

    @Test
    void aShorterTimeoutMayBeAskedForAndALongerOneIsCapped() {
        Gate gate = new Gate(Limits.running(1).timeout(TIMEOUT));
        gate.submit("ann");
        Gate.Query shorter = gate.submit("ann", Duration.ofSeconds(5));
        Gate.Query longer = gate.submit("ann", Duration.ofHours(5));

        gate.time.advance(Duration.ofSeconds(5));
        assertThat(shorter.rejection).isInstanceOf(Rejection.QueueTimeout.class);
        assertThat(longer.isWaiting()).isTrue();
        gate.time.advance(Duration.ofSeconds(55));

        assertThat(longer.rejection)
                .isInstanceOfSatisfying(
                        Rejection.QueueTimeout.class,
                        timeout -> assertThat(timeout.queueTimeout()).isEqualTo(TIMEOUT));
    }

    @Test
    void aQueryThatMayNotWaitRunsAtOnceOrIsRefused() {
        Gate gate = new Gate(Limits.running(1));

        Gate.Query first = gate.submit("ann", Duration.ZERO);
        Gate.Query second = gate.submit("ann", Duration.ZERO);
        Gate.Query third = gate.submit("bob", Duration.ofSeconds(-1));

        assertThat(first.isRunning()).isTrue();
        assertThat(second.rejection)
                .isEqualTo(new Rejection.QueueTimeout(WaitReason.MAX_RUNNING, Duration.ZERO, 1, Duration.ofSeconds(1)));
        assertThat(third.rejection).isInstanceOf(Rejection.QueueTimeout.class);
        assertThat(gate.controller.snapshot().queued()).isZero();
        assertThat(gate.time.scheduled()).isZero();
        first.finish();
        gate.assertIdle();
    }

    @Test
    void theTimeoutRunsOnHoweverLongTheRunningQueryTakes() {
        Gate gate = new Gate(Limits.running(1).timeout(TIMEOUT));
        Gate.Query endless = gate.submit("ann");
        Gate.Query waiting = gate.submit("bob");

        gate.time.advance(Duration.ofDays(1));

        assertThat(waiting.rejection).isInstanceOf(Rejection.QueueTimeout.class);
        assertThat(endless.isRunning()).isTrue();
        assertThat(gate.controller.snapshot().running()).isEqualTo(1);
    }

    @Test
    void theRefusalNamesTheLimitThatHeldTheQueryAndItsPosition() {
        Gate gate = new Gate(
                Limits.running(3).memory(100).userRunning(1).perQuery(10).timeout(TIMEOUT));
        gate.submit("ann");
        Gate.Query atUserCap = gate.submit("ann");
        Gate.Query second = gate.submit("ann");
        Gate.Query lacksMemory = gate.submit("bob", 95);

        gate.time.advance(TIMEOUT);

        assertThat(atUserCap.rejection).isInstanceOfSatisfying(Rejection.QueueTimeout.class, timeout -> {
            assertThat(timeout.limit()).isEqualTo(WaitReason.USER_MAX_RUNNING);
        });
        assertThat(lacksMemory.rejection).isInstanceOfSatisfying(Rejection.QueueTimeout.class, timeout -> {
            assertThat(timeout.limit()).isEqualTo(WaitReason.MEMORY);
            assertThat(timeout.position()).isEqualTo(1);
        });
        assertThat(((Rejection.QueueTimeout) second.rejection).position())
                .isGreaterThan(((Rejection.QueueTimeout) atUserCap.rejection).position());
    }

    @Test
    void theRefusalCarriesThePredictedWaitAsItWasKnown() {
        Gate gate = new Gate(Limits.running(1).timeout(Duration.ofSeconds(120)));
        gate.learn("ann", Duration.ofSeconds(10));
        gate.submit("ann");
        Gate.Query waiting = gate.submit("bob");

        gate.time.advance(Duration.ofSeconds(120));

        assertThat(waiting.rejection.predictedWait())
                .as("the running query overruns, and is taken to need as long again")
                .contains(Duration.ofSeconds(120));
        assertThat(waiting.rejection.retryAfter()).as("within bounds").hasSeconds(60);
    }

    @Test
    void whoHeldTheHeadAndTimesOutLetsTheOthersRun() {
        Gate gate = new Gate(Limits.running(10).memory(100).timeout(TIMEOUT));
        gate.submit("ann", 50);
        gate.submit("big", OptionalLong.of(60).getAsLong());
        for (int i = 0; i < FairQueue.MAX_PASSES; i++) {
            gate.submit("small" + i, 1).finish();
        }
        gate.time.advance(Duration.ofSeconds(1));
        Gate.Query held = gate.submit("late", 1);
        assertThat(held.isWaiting()).isTrue();

        gate.time.advance(TIMEOUT.minusSeconds(1));

        assertThat(held.isRunning()).isTrue();
    }

    @Test
    void oneTimerServesAllWaitersAndCancelledOnesLeaveNone() {
        Gate gate = new Gate(Limits.running(1).timeout(TIMEOUT));
        Gate.Query running = gate.submit("ann");
        List<Gate.Query> queries = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            queries.add(gate.submit("user" + i % 10, TIMEOUT.minusMillis(i)));
            assertThat(gate.time.scheduled()).isEqualTo(1);
        }

        queries.forEach(query -> assertThat(query.admission.cancel()).isTrue());
        running.finish();

        assertThat(gate.time.scheduled()).isEqualTo(1);
        gate.time.advance(TIMEOUT);
        assertThat(gate.time.scheduled()).isZero();
        assertThat(queries).allMatch(query -> query.cancelled);
        gate.assertIdle();
    }

    @Test
    void thousandsThatTimeOutTogetherAllEnd() {
        Gate gate = new Gate(Limits.running(1).timeout(TIMEOUT));
        Gate.Query running = gate.submit("ann");
        List<Gate.Query> queries = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            queries.add(gate.submit("user" + i % 10));
        }

        gate.time.advance(TIMEOUT);

        assertThat(queries).allMatch(query -> query.rejection instanceof Rejection.QueueTimeout);
        assertThat(gate.controller.snapshot().queued()).isZero();
        running.finish();
        gate.assertIdle();
    }

    @Test
    void aWaiterThatNoTimerCanBoundIsRefused() {
        AdmissionController controller = AdmissionControllers.create(
                Limits.running(1).build(),
                NanoClock.SYSTEM,
                (task, delay) -> {
                    throw new RejectedExecutionException("shut down");
                },
                Runnable::run,
                AdmissionListener.NONE);
        controller.admit(request("first"));
        Throwable[] failure = new Throwable[1];

        controller.admit(request("second")).permit().whenComplete((permit, thrown) -> failure[0] = thrown);

        assertThat(failure[0])
                .isInstanceOfSatisfying(
                        AdmissionRejectedException.class,
                        refused -> assertThat(refused.rejection()).isInstanceOf(Rejection.Draining.class));
        assertThat(controller.snapshot().queued()).isZero();
    }

    private static AdmissionRequest request(String id) {
        return new AdmissionRequest(id, "ann", List.of(), 1, OptionalLong.empty(), TIMEOUT);
    }
}
