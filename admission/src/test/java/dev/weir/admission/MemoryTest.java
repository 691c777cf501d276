package dev.weir.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MemoryTest {

    @Test
    void fiftyQueriesOfATenthOfTheMemoryStartAtMostTen() {
        Gate gate = new Gate(Limits.running(100).memory(100));

        List<Gate.Query> queries = IntStream.range(0, 50)
                .mapToObj(i -> gate.submit("user" + i, 10))
                .toList();

        assertThat(queries.stream().filter(Gate.Query::isRunning)).hasSize(10);
        assertThat(gate.controller.snapshot().reservedBytes()).isEqualTo(100);
        assertThat(gate.wait(queries.get(10)).reason()).isEqualTo(WaitReason.MEMORY);
    }

    @Test
    void aReservationThatCanNeverFitIsRefusedAtOnce() {
        Gate gate = new Gate(Limits.running(1).memory(100));
        gate.submit("ann");

        assertThat(gate.submit("ann", 101).rejection).isEqualTo(new Rejection.MemoryTooLarge(101, 100));
        assertThat(gate.submit("ann", Long.MAX_VALUE).rejection)
                .isEqualTo(new Rejection.MemoryTooLarge(Long.MAX_VALUE, 100));
        assertThat(gate.controller.snapshot().queued()).isZero();
    }

    @Test
    void aReservationOfNothingIsNoReservation() {
        for (long bytes : new long[] {0, -1, Long.MIN_VALUE}) {
            assertThatThrownBy(() -> new AdmissionRequest(
                            "id", "ann", List.of(), 1, OptionalLong.of(bytes), Duration.ofSeconds(1)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("memory");
        }
    }

    @Test
    void aQueryThatAsksForNothingGetsTheDefault() {
        Gate gate = new Gate(Limits.running(10).memory(100).perQuery(30));

        assertThat(gate.submit("ann").permit.reservedBytes()).isEqualTo(30);
        assertThat(gate.submit("ann", 5).permit.reservedBytes()).isEqualTo(5);
        assertThat(gate.controller.snapshot().users())
                .containsExactly(new AdmissionSnapshot.User("ann", "default", 2, 0, 0, 0, 35));
    }

    @Test
    void smallQueriesPassABigOneABoundedNumberOfTimes() {
        Gate gate = new Gate(Limits.running(10).memory(100));
        Gate.Query first = gate.submit("ann", 50);
        Gate.Query big = gate.submit("big", 60);

        int passes = 0;
        Gate.Query small = gate.submit("bob", 10);
        while (small.isRunning() && passes < 1_000) {
            gate.time.advance(Duration.ofSeconds(1));
            small.finish();
            passes++;
            small = gate.submit("bob", 10);
        }

        assertThat(passes).isEqualTo(FairQueue.MAX_PASSES);
        assertThat(big.isWaiting()).isTrue();
        first.finish();
        assertThat(big.isRunning()).isTrue();
        assertThat(gate.controller.snapshot().running())
                .as("the small one that was held runs beside it")
                .isEqualTo(2);
    }

    @Test
    void aBigQueryStartsThoughSmallOnesNeverStopComing() {
        Gate gate = new Gate(Limits.running(10).memory(100));
        for (int i = 0; i < 10; i++) {
            smallForEver(gate, "small" + i);
        }
        Gate.Query big = gate.submit("big", 100);

        // Ten at a time, 1 s each: 16 passes and the memory is gathered within a few rounds.
        gate.time.advance(Duration.ofSeconds(5));

        assertThat(big.isRunning()).isTrue();
    }

    private static void smallForEver(Gate gate, String user) {
        gate.submit(user, 10)
                .admission
                .permit()
                .thenAccept(permit -> gate.time.schedule(
                        () -> {
                            permit.close(RunPermit.Outcome.FINISHED);
                            smallForEver(gate, user);
                        },
                        Duration.ofSeconds(1).toNanos()));
    }

    @Test
    void queriesOfOneUserStayInOrderThoughALaterOneWouldFit() {
        Gate gate = new Gate(Limits.running(10).memory(100));
        Gate.Query first = gate.submit("ann", 50);
        Gate.Query big = gate.submit("ann", 60);
        Gate.Query small = gate.submit("ann", 1);

        assertThat(big.isWaiting()).isTrue();
        assertThat(small.isWaiting()).isTrue();
        assertThat(gate.wait(small).reason()).isEqualTo(WaitReason.TURN);
        first.finish();
        assertThat(big.isRunning()).isTrue();
        assertThat(small.isRunning()).isTrue();
    }

    @Test
    void whoHoldsTheHeadWaitsForMemoryAloneAndBlocksNobodyAtItsOwnUsersCap() {
        Gate gate = new Gate(Limits.running(10).memory(100).userRunning(1));
        Gate.Query annRuns = gate.submit("ann", 50);
        Gate.Query annBig = gate.submit("ann", 100);

        for (int i = 0; i < 2 * FairQueue.MAX_PASSES; i++) {
            gate.submit("bob", 1).finish();
        }

        assertThat(annBig.isWaiting()).isTrue();
        assertThat(gate.wait(annBig).reason()).isEqualTo(WaitReason.USER_MAX_RUNNING);
        annRuns.finish();
        assertThat(annBig.isRunning()).isTrue();
    }
}
