package dev.weir.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class FairnessTest {

    @Test
    void aUserWithOneQueryStartsWithinTwoServiceTimesBehindAUserWithAThousand() {
        Gate gate = new Gate(Limits.running(1));
        Gate.Query running = gate.submit("heavy");
        List<Gate.Query> heavy = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            heavy.add(gate.submit("heavy"));
        }
        gate.time.advance(Duration.ofSeconds(3));
        running.finish();
        gate.time.advance(Duration.ofSeconds(5));

        Gate.Query light = gate.submit("light");
        assertThat(gate.wait(light).position()).isEqualTo(1);
        heavy.get(0).finish();

        assertThat(light.isRunning()).isTrue();
    }

    @Test
    void theWaitOfALightUserDoesNotDependOnTheLengthOfAnothersQueue() {
        assertThat(worstLightWait(10_000)).isEqualTo(worstLightWait(10));
    }

    private static Duration worstLightWait(int heavyQueries) {
        Gate gate = new Gate(Limits.running(2));
        Load heavy = new Load(gate, "heavy", Duration.ofSeconds(1), 1).keep(heavyQueries);
        Duration worst = Duration.ZERO;
        for (int i = 0; i < 50; i++) {
            gate.time.advance(Duration.ofMillis(1_700));
            Gate.Query light = gate.submit("light");
            while (!light.isRunning()) {
                gate.time.advanceToNextTask();
            }
            Duration waited = Duration.ofNanos(light.permit.queuedNanos());
            worst = waited.compareTo(worst) > 0 ? waited : worst;
            light.finish();
        }
        heavy.stop();
        return worst;
    }

    @Test
    void slotsAreSharedByTimeAndNotByCount() {
        Gate gate = new Gate(Limits.running(1));
        Load quick = new Load(gate, "quick", Duration.ofMillis(100), 1).keep(3);
        Load slow = new Load(gate, "slow", Duration.ofSeconds(1), 1).keep(3);

        gate.time.advance(Duration.ofSeconds(200));

        assertThat(quick.busySeconds()).isBetween(97.0, 103.0);
        assertThat(slow.busySeconds()).isBetween(97.0, 103.0);
    }

    @Test
    void memoryIsChargedWhenItIsTheLargerShare() {
        Gate gate = new Gate(Limits.running(10).memory(100));
        for (int i = 0; i < 9; i++) {
            gate.submit("holder", 1);
        }
        // They take turns on the slot that is left: four tenths of the memory against a tenth of the slots.
        Load wide = new Load(gate, "wide", Duration.ofSeconds(1), 40).keep(3);
        Load thin = new Load(gate, "thin", Duration.ofSeconds(1), 1).keep(3);

        gate.time.advance(Duration.ofSeconds(400));

        assertThat(thin.busySeconds() / wide.busySeconds()).isBetween(3.8, 4.2);
    }

    @Test
    void fourBackloggedUsersOfDifferentQueriesGetEqualResourceSeconds() {
        for (int userCap : new int[] {4, 8, 1_000}) {
            Gate gate = new Gate(Limits.running(8).memory(1_600).userRunning(userCap));
            List<Load> loads = List.of(
                    new Load(gate, "a", Duration.ofMillis(100), 100).keep(20),
                    new Load(gate, "b", Duration.ofSeconds(1), 100).keep(20),
                    new Load(gate, "c", Duration.ofSeconds(10), 100).keep(20),
                    new Load(gate, "d", Duration.ofSeconds(10), 400).keep(20));
            gate.time.advance(Duration.ofSeconds(60));
            loads.forEach(Load::startMeasuring);

            gate.time.advance(Duration.ofSeconds(600));

            double[] used = loads.stream()
                    .mapToDouble(load -> load.busySeconds() * Math.max(1 / 8.0, load.bytes / 1_600.0))
                    .toArray();
            assertThat(jain(used)).as("user cap %s: %s", userCap, used).isGreaterThanOrEqualTo(0.98);
        }
    }

    private static double jain(double... values) {
        double sum = 0;
        double squares = 0;
        for (double value : values) {
            sum += value;
            squares += value * value;
        }
        return sum * sum / (values.length * squares);
    }

    @Test
    void aUserWhoIdledForLongGetsNoMoreThanTheShareOfThoseWhoDidNot() {
        Gate gate = new Gate(Limits.running(1));
        Load busy = new Load(gate, "busy", Duration.ofSeconds(1), 1).keep(3);
        new Load(gate, "idler", Duration.ofSeconds(1), 1).keep(1).stop();
        gate.time.advance(Duration.ofHours(1));
        busy.startMeasuring();

        Load idler = new Load(gate, "idler", Duration.ofSeconds(1), 1).keep(3);
        gate.time.advance(Duration.ofSeconds(100));

        assertThat(idler.busySeconds()).isBetween(48.0, 52.0);
        assertThat(busy.busySeconds()).isBetween(48.0, 52.0);
    }

    @Test
    void aUserHeldBackByTheOwnCapSavesNothingUpForWhenItIsRaised() {
        Gate gate = new Gate(Limits.running(4).userRunning(1));
        Load capped = new Load(gate, "capped", Duration.ofSeconds(1), 1).keep(20);
        gate.time.advance(Duration.ofSeconds(10));
        List<Load> others = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            others.add(new Load(gate, "other" + i, Duration.ofSeconds(10), 1).keep(20));
        }
        gate.time.advance(Duration.ofHours(1));
        gate.controller.update(Limits.running(4).build());
        gate.time.advance(Duration.ofSeconds(60));
        capped.startMeasuring();
        others.forEach(Load::startMeasuring);

        gate.time.advance(Duration.ofSeconds(200));

        assertThat(capped.busySeconds()).isBetween(190.0, 225.0);
    }

    @Test
    void aUserHeldBackByTheOwnCapSavesNothingUpForWhenOthersCome() {
        Gate gate = new Gate(Limits.running(4).memory(100).userRunning(2));
        Load capped = new Load(gate, "capped", Duration.ofSeconds(1), 1).keep(20);
        // Charged 1.6 times as much for two slots, so the capped one falls behind in virtual time.
        new Load(gate, "wide", Duration.ofSeconds(1), 40).keep(20);
        gate.time.advance(Duration.ofHours(1));
        for (int i = 0; i < 3; i++) {
            new Load(gate, "other" + i, Duration.ofSeconds(1), 1).keep(20);
        }
        capped.startMeasuring();

        gate.time.advance(Duration.ofSeconds(100));

        // A fifth of the slots, a little more for what the wide one is charged; at the cap it would be 200.
        assertThat(capped.busySeconds()).isBetween(75.0, 110.0);
    }

    @Test
    void whoTookMuchAndPausesShortlyStillOwesIt() {
        Gate gate = new Gate(Limits.running(1));
        gate.learn("ann", Duration.ofSeconds(100));
        gate.learn("bob", Duration.ofSeconds(1));
        Gate.Query blocker = gate.submit("bob");
        Gate.Query long1 = gate.submit("ann");
        Gate.Query bob1 = gate.submit("bob");
        blocker.finish();
        gate.time.advance(Duration.ofSeconds(100));
        long1.finish();
        // Ann is idle now, with 100 s on the account; Bob is busy.
        Gate.Query ann2 = gate.submit("ann");
        Gate.Query bob2 = gate.submit("bob");

        gate.time.advance(Duration.ofSeconds(1));
        bob1.finish();

        assertThat(bob2.isRunning()).isTrue();
        assertThat(ann2.isWaiting()).isTrue();
    }

    @Test
    void whatWasTakenBeforeAllWentIdleIsOwedToNobody() {
        Gate gate = new Gate(Limits.running(2));
        Gate.Query bob = gate.submit("bob");
        Gate.Query annBefore = gate.submit("ann");
        gate.time.advance(Duration.ofHours(1));
        annBefore.finish();
        bob.finish();
        Gate.Query blocker = gate.submit("cid");
        gate.submit("eve");
        Gate.Query ann = gate.submit("ann");
        Gate.Query dan = gate.submit("dan");

        blocker.finish();

        assertThat(ann.isRunning()).isTrue();
        assertThat(dan.isWaiting()).isTrue();
    }

    @Test
    void aWrongExpectationIsCorrectedWhenThePermitIsClosed() {
        Gate gate = new Gate(Limits.running(1));
        gate.learn("ann", Duration.ofSeconds(100));
        gate.learn("bob", Duration.ofSeconds(10));
        Gate.Query blocker = gate.submit("cid");
        Gate.Query ann1 = gate.submit("ann");
        Gate.Query ann2 = gate.submit("ann");
        Gate.Query bob1 = gate.submit("bob");
        Gate.Query bob2 = gate.submit("bob");
        blocker.finish();

        // Expected to take 100 s, took 1: so it is Ann's turn again once Bob had 10 s.
        gate.time.advance(Duration.ofSeconds(1));
        ann1.finish();
        Gate.Query next = ann2.isRunning() ? ann2 : bob1;
        assertThat(next).isSameAs(bob1);
        gate.time.advance(Duration.ofSeconds(10));
        bob1.finish();

        assertThat(ann2.isRunning()).isTrue();
        assertThat(bob2.isWaiting()).isTrue();
    }

    @Test
    void anUnfinishedRunTeachesOnlyThatTheWholeTakesLonger() {
        RunTimeHistory history = new RunTimeHistory();
        AdmissionRequest request =
                new AdmissionRequest("q", "ann", List.of(), 7, OptionalLong.empty(), Duration.ofSeconds(1));
        history.record(request, "default", RunPermit.Outcome.FINISHED, 1_000);

        history.record(request, "default", RunPermit.Outcome.CANCELLED, 10);
        assertThat(history.expectedNanos("ann", "default", 7)).isEqualTo(1_000);

        history.record(request, "default", RunPermit.Outcome.FAILED, 3_000);
        assertThat(history.expectedNanos("ann", "default", 7)).isEqualTo(2_000);
        assertThat(history.expectedNanos("ann", "default", 8)).isEqualTo(2_000);
        assertThat(history.expectedNanos("bob", "default", 8)).isEqualTo(2_000);
    }

    @Test
    void historyForgetsTheUserAndStatementNotSeenForLongest() {
        RunTimeHistory history = new RunTimeHistory();
        for (int i = 0; i < RunTimeHistory.MAX_ENTRIES + 10; i++) {
            history.record(
                    new AdmissionRequest("q", "user" + i, List.of(), i, OptionalLong.empty(), Duration.ofSeconds(1)),
                    "default",
                    RunPermit.Outcome.FINISHED,
                    i == 1 ? 5_000_000 : 1_000);
            history.expectedNanos("user1", "default", 1);
        }

        assertThat(history.size()).isEqualTo(2 * RunTimeHistory.MAX_ENTRIES + 1);
        assertThat(history.expectedNanos("user1", "default", 1)).isEqualTo(5_000_000);
    }
}
