package dev.weir.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class ShortLaneTest {

    private static final Duration MOMENT = Duration.ofMillis(5);

    private final Gate gate = new Gate(Tree.running(2).lane(4));

    @Test
    void aStatementKnownToBeShortPassesAFullCap() {
        gate.teach("ann", "lookup", MOMENT);
        fillCap();

        Gate.Query query = gate.submit(gate.request("ann", "lookup"));

        assertThat(query.isRunning()).isTrue();
        assertThat(query.permit.inShortLane()).isTrue();
        assertThat(query.permit.queryClass()).isEqualTo(QueryClass.SHORT);
        assertThat(query.permit.reservedBytes()).as("a quarter of the default").isEqualTo(1);
        assertThat(gate.controller.snapshot().shortRunning()).isEqualTo(1);
    }

    @Test
    void aHeavyStatementWaitsAlthoughTheLaneIsFree() {
        gate.teach("ann", "scan", Duration.ofSeconds(5));
        fillCap();

        assertThat(gate.submit(gate.request("ann", "scan")).isWaiting()).isTrue();
    }

    @Test
    void aHintMakesAQueryHeavyAndNoneMakesItLighter() {
        gate.teach("ann", "lookup", MOMENT);
        fillCap();

        assertThat(gate.submit(gate.request("ann", "lookup", Priority.NORMAL, true))
                        .isWaiting())
                .isTrue();
    }

    @Test
    void fewUnknownStatementsOfAUserTryTheLaneTheOthersWait() {
        fillCap();

        Gate.Query first = gate.submit(gate.request("ann", "new 1"));
        Gate.Query second = gate.submit(gate.request("ann", "new 2"));

        assertThat(first.permit.inShortLane()).isTrue();
        assertThat(first.permit.queryClass()).isEqualTo(QueryClass.UNKNOWN);
        assertThat(second.isWaiting()).as("one of four places for one user").isTrue();
        assertThat(gate.submit(gate.request("bob", "new 3")).isRunning()).isTrue();
        assertThat(gate.submit(gate.request("cid", "new 4")).isWaiting())
                .as("two of four places for one group")
                .isTrue();
    }

    @Test
    void anUnknownStatementThatLacksMemoryWaitsWithAllOthers() {
        Gate.Query all = gate.submit(heavy("all", 1_000_000));
        Gate.Query unknown = gate.submit(gate.request("ann", "new"));
        assertThat(unknown.isWaiting()).isTrue();

        all.finish();

        assertThat(unknown.permit.inShortLane()).isFalse();
        assertThat(unknown.permit.reservedBytes()).as("the whole default").isEqualTo(4);
    }

    @Test
    void aUserWhoseQueriesAreHeavyGetsNoProbationWithNewTexts() {
        for (int i = 0; i < 3; i++) {
            gate.teach("ann", "text " + i, Duration.ofSeconds(5));
        }
        fillCap();

        assertThat(gate.submit(gate.request("ann", "another text")).isWaiting()).isTrue();
    }

    @Test
    void whatTakesTooLongLeavesTheLaneAndIsRemembered() {
        gate.teach("ann", "lookup", MOMENT);
        fillCap();
        Gate.Query query = gate.submit(gate.request("ann", "lookup"));

        gate.time.advance(Tree.SHORT);

        assertThat(query.permit.inShortLane()).isFalse();
        assertThat(gate.events).contains("overran " + query.id);
        AdmissionSnapshot now = gate.controller.snapshot();
        assertThat(now.shortRunning()).isZero();
        assertThat(now.running()).as("one beyond the cap").isEqualTo(3);
        query.finish();
        assertThat(gate.submit(gate.request("ann", "lookup")).isWaiting())
                .as("its statement is not short any more")
                .isTrue();
    }

    @Test
    void neverMoreThanTheCapAndTwiceTheLaneRun() {
        List<Gate.Query> running = fillCap();
        for (int round = 0; round < 10; round++) {
            for (int i = 0; i < 8; i++) {
                Gate.Query query = gate.submit(gate.request("user" + round + "-" + i, "text " + round + "-" + i));
                running.add(query);
            }
            AdmissionSnapshot now = gate.controller.snapshot();
            assertThat(now.running()).isLessThanOrEqualTo(2 + 2 * 4);
            assertThat(now.shortRunning()).isLessThanOrEqualTo(4);
            gate.time.advance(Tree.SHORT);
        }
        assertThat(gate.controller.snapshot().running()).isGreaterThan(2);
        while (running.stream().anyMatch(query -> query.isRunning())) {
            List<Gate.Query> now =
                    running.stream().filter(Gate.Query::isRunning).toList();
            running.removeAll(now);
            now.forEach(Gate.Query::finish);
        }
        gate.assertIdle();
    }

    @Test
    void aShortQueryThatFindsTheLaneFullTakesAFreeSlotOfAll() {
        gate.teach("ann", "lookup", MOMENT);
        Gate.Query[] queries = new Gate.Query[5];
        for (int i = 0; i < 5; i++) {
            queries[i] = gate.submit(gate.request("ann", "lookup"));
        }

        assertThat(queries[1].permit.inShortLane()).isTrue();
        assertThat(queries[3].permit.inShortLane())
                .as("half the lane is one user's part")
                .isFalse();
        assertThat(queries[4].isWaiting()).isTrue();
        queries[0].finish();
        assertThat(queries[4].permit.inShortLane()).isTrue();
    }

    @Test
    void shortQueriesDoNotKeepALargeReservationFromItsMemoryForEver() {
        gate.teach("ann", "lookup", MOMENT);
        Gate.Query small = gate.submit(gate.request("ann", "lookup"));
        Gate.Query large = gate.submit("bob", 1_000_000);
        assertThat(large.isWaiting()).isTrue();
        int passed = 0;
        Gate.Query last = small;
        while (passed < 1000) {
            Gate.Query next = gate.submit(gate.request("ann", "lookup"));
            last.finish();
            if (!next.isRunning()) {
                break;
            }
            last = next;
            passed++;
        }
        assertThat(passed).isLessThanOrEqualTo(FairQueue.MAX_PASSES);
        assertThat(large.isRunning()).isTrue();
    }

    @Test
    void theLaneDoesNotKeepAReservationAmongAllFromItsMemoryForEver() {
        gate.teach("ann", "lookup", MOMENT);
        Gate.Query last = gate.submit(gate.request("ann", "lookup"));
        Gate.Query large = gate.submit(new AdmissionRequest(
                "large", "bob", List.of(), 1, OptionalLong.of(1_000_000), Gate.FOREVER, Priority.NORMAL, true));
        assertThat(large.isWaiting()).isTrue();
        int passed = 0;
        for (int i = 0; i < 1000 && last.isRunning(); i++) {
            Gate.Query next = gate.submit(gate.request("ann", "lookup"));
            passed += next.isRunning() ? 1 : 0;
            last.finish();
            last = next;
        }

        assertThat(passed).isEqualTo(FairQueue.MAX_PASSES);
        assertThat(large.isRunning()).isTrue();
    }

    @Test
    void thoseAmongAllDoNotKeepAShortQueryFromItsMemoryForEver() {
        gate.teach("ann", "lookup", MOMENT);
        Gate.Query last = gate.submit(heavy("first"));
        Gate.Query large = gate.submit(lookup(1_000_000));
        assertThat(large.isWaiting()).isTrue();
        int passed = 0;
        for (int i = 0; i < 1000 && last.isRunning(); i++) {
            Gate.Query next = gate.submit(heavy("heavy " + i));
            passed += next.isRunning() ? 1 : 0;
            last.finish();
            last = next;
        }

        assertThat(passed).isEqualTo(FairQueue.MAX_PASSES);
        assertThat(large.permit.inShortLane()).isTrue();
    }

    @Test
    void whoTakesEachByteAmongAllAsItComesFreeDoesNotKeepAShortQueryWaiting() {
        Gate tight = new Gate(Tree.running(4).lane(4).group("default", Tree.memory(1_000_000, 500_000)));
        tight.teach("ann", "lookup", MOMENT);
        List<Gate.Query> heavy = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            heavy.add(tight.submit(tight.request("bob", "scan", Priority.NORMAL, true)));
        }
        Gate.Query query = tight.submit(tight.request("ann", "lookup"));
        assertThat(query.isWaiting())
                .as("all memory is reserved, two slots are free")
                .isTrue();

        int done = 0;
        while (query.isWaiting()) {
            heavy.get(done++).finish();
        }

        assertThat(done).isEqualTo(FairQueue.MAX_PASSES + 1);
    }

    @Test
    void twoThatHoldMemoryForThemselvesDoNotKeepEachOtherWaiting() {
        gate.teach("ann", "lookup", MOMENT);
        Gate.Query last = gate.submit(heavy("first"));
        Gate.Query short1 = gate.submit(lookup(1_000_000));
        Gate.Query heavy = gate.submit(heavy("large", 1_000_000));
        for (int i = 0; i < 1000 && last.isRunning(); i++) {
            Gate.Query next = gate.submit(heavy("heavy " + i));
            last.finish();
            last = next;
        }

        assertThat(short1.isRunning() ^ heavy.isRunning()).isTrue();
        (short1.isRunning() ? short1 : heavy).finish();
        assertThat(short1.isRunning() || heavy.isRunning()).isTrue();
    }

    private AdmissionRequest lookup(long bytes) {
        AdmissionRequest known = gate.request("ann", "lookup");
        return new AdmissionRequest(
                known.queryId(), "ann", List.of(), known.fingerprint(), OptionalLong.of(bytes), Gate.FOREVER);
    }

    private static AdmissionRequest heavy(String id) {
        return heavy(id, 1);
    }

    private static AdmissionRequest heavy(String id, long bytes) {
        return new AdmissionRequest(
                id, id, List.of(), id.hashCode(), OptionalLong.of(bytes), Gate.FOREVER, Priority.NORMAL, true);
    }

    private List<Gate.Query> fillCap() {
        List<Gate.Query> running = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            running.add(gate.submit(gate.request("heavy", "heavy", Priority.NORMAL, true)));
        }
        assertThat(running).allMatch(Gate.Query::isRunning);
        return running;
    }
}
