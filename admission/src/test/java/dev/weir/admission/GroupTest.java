package dev.weir.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class GroupTest {

    @Test
    void theFirstGroupThatHasLimitsCountsElseTheDefault() {
        Gate gate = new Gate(Tree.running(9).group("etl", Tree.caps(2, 10, 9)));

        Gate.Query known = gate.submit(new AdmissionRequest(
                "q", "ann", List.of("staff", "etl"), 1, OptionalLong.empty(), Duration.ofSeconds(1)));
        Gate.Query unknown = gate.submitIn("staff", "bob", "x");

        assertThat(known.permit.group()).isEqualTo("etl");
        assertThat(unknown.permit.group()).isEqualTo(AdmissionLimits.DEFAULT_GROUP);
    }

    @Test
    void aGroupAtItsCapWaitsWhileOthersRun() {
        Gate gate = new Gate(Tree.running(9).group("etl", Tree.caps(2, 10, 9)));
        Gate.Query first = gate.submitIn("etl", "ann", "a");
        gate.submitIn("etl", "bob", "b");

        Gate.Query third = gate.submitIn("etl", "cid", "c");

        assertThat(third.isWaiting()).isTrue();
        assertThat(gate.wait(third).reason()).isEqualTo(WaitReason.GROUP_MAX_RUNNING);
        assertThat(gate.submitIn("other", "dan", "d").isRunning()).isTrue();
        first.finish();
        assertThat(third.isRunning()).isTrue();
    }

    @Test
    void aGroupsFullQueueRefusesWithItsNameAndLeavesOthersTheirs() {
        Gate gate = new Gate(Tree.running(1).group("etl", Tree.caps(1, 1, 9)));
        gate.submit("ann");
        assertThat(gate.submitIn("etl", "bob", "b").isWaiting()).isTrue();

        Gate.Query refused = gate.submitIn("etl", "cid", "c");

        assertThat(refused.rejection).isInstanceOfSatisfying(Rejection.QueueFull.class, full -> {
            assertThat(full.scope()).isEqualTo(Rejection.Scope.GROUP);
            assertThat(full.name()).isEqualTo("etl");
            assertThat(full.maxQueued()).isEqualTo(1);
        });
        assertThat(gate.submit("dan").isWaiting()).isTrue();
    }

    @Test
    void aGroupsMemoryHoldsOnlyThatGroup() {
        Gate gate = new Gate(Tree.running(9).group("etl", Tree.memory(10, 10)));
        Gate.Query first = gate.submitIn("etl", "ann", "a");
        Gate.Query second = gate.submitIn("etl", "bob", "b");

        assertThat(gate.wait(second).reason()).isEqualTo(WaitReason.GROUP_MEMORY);
        for (int i = 0; i < 2 * FairQueue.MAX_PASSES; i++) {
            Gate.Query other = gate.submit("other" + i);
            assertThat(other.isRunning()).isTrue();
            other.finish();
        }
        first.finish();
        assertThat(second.isRunning()).isTrue();
    }

    @Test
    void weightsShareTheTimeWhileBothWantIt() {
        Gate gate = new Gate(Tree.running(4).group("a", Tree.weight(1)).group("b", Tree.weight(3)));
        Map<String, Double> seconds = new HashMap<>();
        Deque<Gate.Query> running = new ArrayDeque<>();
        for (int i = 0; i < 400; i++) {
            running.add(gate.submitIn("a", "a" + i % 2, "a"));
            running.add(gate.submitIn("b", "b" + i % 3, "b"));
        }
        for (int step = 0; step < 120; step++) {
            gate.time.advance(Duration.ofSeconds(1));
            List<Gate.Query> done =
                    running.stream().filter(Gate.Query::isRunning).toList();
            for (Gate.Query query : done) {
                seconds.merge(query.permit.group(), 1.0, Double::sum);
                running.remove(query);
                query.finish();
            }
        }
        assertThat(seconds.get("b") / seconds.get("a")).isBetween(2.91, 3.09);
    }

    @Test
    void aGroupThatComesBackSavedUpNothing() {
        Gate gate = new Gate(Tree.running(1).group("a", Tree.weight(1)).group("b", Tree.weight(1)));
        Gate.Query running = gate.submitIn("a", "ann", "x");
        gate.time.advance(Duration.ofHours(1));
        Gate.Query a1 = gate.submitIn("a", "ann", "x");
        Gate.Query a2 = gate.submitIn("a", "ann", "x");
        Gate.Query b1 = gate.submitIn("b", "bob", "y");
        Gate.Query b2 = gate.submitIn("b", "bob", "y");

        running.finish();
        assertThat(b1.isRunning()).as("a owes its hour").isTrue();
        gate.time.advance(Duration.ofHours(2));
        b1.finish();

        assertThat(a1.isRunning()).isTrue();
        a1.finish();
        assertThat(a2.isRunning()).as("b owes its two").isTrue();
        assertThat(b2.isWaiting()).isTrue();
    }

    @Test
    void aGroupHeldAtItsCapDoesNotOwnTheMachineWhenTheCapIsRaised() {
        Tree tree = Tree.running(4).group("a", Tree.caps(1, 1_000, 9)).group("b", Tree.weight(1));
        Gate gate = new Gate(tree);
        List<Gate.Query> queries = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            queries.add(gate.submitIn("a", "a" + i, "a"));
            queries.add(gate.submitIn("b", "b" + i % 3, "b"));
        }
        rounds(gate, queries, 10);
        gate.controller.update(tree.group("a", Tree.caps(4, 1_000, 9)).build());
        gate.granted.clear();

        rounds(gate, queries, 4);

        assertThat(gate.granted.stream().filter(id -> id.startsWith("a")).count())
                .as("half of sixteen, more or less, and not all of them")
                .isBetween(6L, 10L);
    }

    @Test
    void aGroupWhoseCapIsRaisedWhileItStandsThereHasSavedUpNothing() {
        Tree tree = Tree.running(4).group("a", Tree.caps(1, 1_000, 9)).group("b", Tree.weight(1));
        Gate gate = new Gate(tree);
        Gate.Query longOne = gate.submitIn("a", "long", "a");
        List<Gate.Query> queries = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            queries.add(gate.submitIn("a", "a" + i, "a"));
            queries.add(gate.submitIn("b", "b" + i % 3, "b"));
        }
        rounds(gate, queries, 10);
        assertThat(gate.granted).filteredOn(id -> id.startsWith("a")).isEmpty();
        gate.controller.update(tree.group("a", Tree.caps(9, 1_000, 9)).build());
        gate.granted.clear();

        rounds(gate, queries, 4);

        assertThat(longOne.isRunning()).isTrue();
        assertThat(gate.granted.stream().filter(id -> id.startsWith("a")).count())
                .as("half of twelve, more or less, and not all of them")
                .isBetween(4L, 8L);
    }

    /** Lets what runs take a second and finishes it. */
    private static void rounds(Gate gate, List<Gate.Query> queries, int count) {
        for (int round = 0; round < count; round++) {
            gate.time.advance(Duration.ofSeconds(1));
            List<Gate.Query> done =
                    queries.stream().filter(Gate.Query::isRunning).toList();
            queries.removeAll(done);
            done.forEach(Gate.Query::finish);
        }
    }

    @Test
    void limitsOfGroupsChangeWhileTheyRun() {
        Tree tree = Tree.running(9).group("etl", Tree.caps(1, 10, 9));
        Gate gate = new Gate(tree);
        gate.submitIn("etl", "ann", "a");
        Gate.Query second = gate.submitIn("etl", "bob", "b");
        assertThat(second.isWaiting()).isTrue();

        gate.controller.update(tree.group("etl", Tree.caps(2, 10, 9)).build());
        assertThat(second.isRunning()).isTrue();

        gate.controller.update(Tree.running(9).build());
        assertThat(gate.controller.snapshot().groups())
                .containsExactly(new AdmissionSnapshot.Group("etl", 2, 0, 0, 0, 8));
        second.finish();
        assertThat(gate.submitIn("etl", "bob", "b").permit.group()).isEqualTo("default");
    }

    @Test
    void impossibleCombinationsNameTheProperty() {
        assertThatThrownBy(() ->
                        Tree.running(1).group("etl", Tree.memory(2_000_000, 1)).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("groups.etl.memory.budget must be at most memory.budget");
        assertThatThrownBy(() -> Tree.weight(0).apply(Tree.running(1).build().group("default")))
                .hasMessageStartingWith("weight must be");
        assertThatThrownBy(() -> new RateLimit(0, Duration.ofSeconds(1), 1)).hasMessageStartingWith("rate.requests");
    }
}
