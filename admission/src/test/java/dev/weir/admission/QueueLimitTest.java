package dev.weir.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class QueueLimitTest {

    @Test
    void aQueryPastTheGlobalQueueIsRefusedAtOnce() {
        Gate gate = new Gate(Limits.running(1).queued(2));
        gate.submit("ann");
        gate.submit("bob");
        gate.submit("cid");

        Gate.Query fourth = gate.submit("dan");

        assertThat(fourth.rejection)
                .isEqualTo(new Rejection.QueueFull(Rejection.Scope.GLOBAL, "", 2, Duration.ofSeconds(3)));
        assertThat(gate.controller.snapshot().queued()).isEqualTo(2);
        assertThat(gate.controller.snapshot().users())
                .extracting(AdmissionSnapshot.User::name)
                .containsExactly("ann", "bob", "cid");
    }

    @Test
    void aQueryPastTheUsersQueueIsRefusedAndOthersStillQueue() {
        Gate gate = new Gate(Limits.running(1).userQueued(1));
        gate.submit("ann");
        gate.submit("ann");

        Gate.Query third = gate.submit("ann");
        Gate.Query other = gate.submit("bob");

        assertThat(third.rejection).isInstanceOfSatisfying(Rejection.QueueFull.class, full -> {
            assertThat(full.scope()).isEqualTo(Rejection.Scope.USER);
            assertThat(full.name()).isEqualTo("ann");
            assertThat(full.maxQueued()).isEqualTo(1);
        });
        assertThat(other.isWaiting()).isTrue();
    }

    @Test
    void withoutAQueueAQueryRunsAtOnceOrIsRefused() {
        Gate gate = new Gate(Limits.running(2).queued(0));

        Gate.Query first = gate.submit("ann");
        Gate.Query second = gate.submit("ann");
        Gate.Query third = gate.submit("ann");

        assertThat(first.isRunning()).isTrue();
        assertThat(second.isRunning()).isTrue();
        assertThat(third.rejection).isInstanceOf(Rejection.QueueFull.class);
        first.finish();
        assertThat(gate.submit("ann").isRunning()).isTrue();
    }

    @Test
    void aFullQueueOfThoseThatLackMemoryKeepsNobodyOutThatCanRun() {
        Gate gate = new Gate(Limits.running(4).memory(100).queued(1));
        gate.submit("ann", 60);
        Gate.Query big = gate.submit("bob", 80);

        Gate.Query small = gate.submit("cid", 10);
        Gate.Query medium = gate.submit("dan", 50);

        assertThat(big.isWaiting()).isTrue();
        assertThat(small.isRunning()).isTrue();
        assertThat(medium.rejection).isInstanceOf(Rejection.QueueFull.class);
        assertThat(gate.controller.snapshot().users())
                .extracting(AdmissionSnapshot.User::name)
                .containsExactly("ann", "bob", "cid");
    }

    @Test
    void retryAfterFollowsThePredictedWait() {
        Gate gate = new Gate(Limits.running(2).queued(4));
        gate.learn("ann", Duration.ofSeconds(4));
        for (int i = 0; i < 6; i++) {
            gate.submit("ann");
        }

        // Five queries before it would run, two at a time, 4 s each.
        assertThat(gate.submit("ann").rejection.retryAfter()).isEqualTo(Duration.ofSeconds(10));
    }

    @Test
    void retryAfterIsAtLeastOneSecondAndAtMostAMinute() {
        Gate fast = new Gate(Limits.running(1).queued(0));
        fast.learn("ann", Duration.ofMillis(1));
        fast.submit("ann");
        Gate slow = new Gate(Limits.running(1).queued(0));
        slow.learn("ann", Duration.ofHours(1));
        slow.submit("ann");

        assertThat(fast.submit("ann").rejection.retryAfter()).isEqualTo(Duration.ofSeconds(1));
        assertThat(slow.submit("ann").rejection.retryAfter()).isEqualTo(Duration.ofSeconds(60));
    }

    @Test
    void aStormOfRefusalsLeavesNothingBehindAndNeedsNoOtherThread() {
        int[] handedOver = {0};
        Gate gate = new Gate(Limits.running(1).queued(1), task -> handedOver[0]++);
        gate.submit("ann");
        gate.submit("ann");
        AdmissionSnapshot before = gate.controller.snapshot();

        for (int i = 0; i < 100_000; i++) {
            assertThat(gate.submit("user" + i).rejection).isNotNull();
        }

        assertThat(gate.controller.snapshot()).isEqualTo(before);
        assertThat(handedOver[0]).isZero();
        assertThat(gate.time.scheduled()).isLessThanOrEqualTo(1);
    }
}
