package dev.weir.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExplainTest {

    @Test
    void itSaysWhatWouldHappenAndChangesNothing() {
        Gate gate = new Gate(Tree.running(1).lane(4).rate(new RateLimit(2, Duration.ofDays(1), 2)));
        assertThat(gate.controller
                        .explain(gate.request("ann", "x", Priority.NORMAL, true))
                        .decision())
                .isEqualTo(Explanation.Decision.RUN);
        assertThat(gate.controller.explain(gate.request("ann", "x")).decision())
                .isEqualTo(Explanation.Decision.RUN_SHORT);
        gate.assertIdle();
        gate.submit(gate.request("ann", "x", Priority.NORMAL, true));

        Explanation waits = gate.controller.explain(gate.request("bob", "x", Priority.NORMAL, true));

        assertThat(waits.decision()).isEqualTo(Explanation.Decision.WAIT);
        assertThat(waits.waiting()).hasValueSatisfying(wait -> {
            assertThat(wait.position()).isEqualTo(1);
            assertThat(wait.reason()).isEqualTo(WaitReason.MAX_RUNNING);
        });
        assertThat(gate.controller.snapshot().queued()).isZero();
        assertThat(gate.events).noneMatch(event -> event.contains("bob"));
        gate.submit(gate.request("bob", "x", Priority.NORMAL, true));
        Explanation refused = gate.controller.explain(gate.request("bob", "x"));
        assertThat(refused.decision()).isEqualTo(Explanation.Decision.REFUSE);
        assertThat(refused.rejection())
                .hasValueSatisfying(why -> assertThat(why).isInstanceOf(Rejection.RateLimited.class));
    }

    @Test
    void itTellsTheClassAndWhatItWasLearnedFrom() {
        Gate gate = new Gate(Tree.running(2).lane(4));
        for (int i = 0; i < 3; i++) {
            gate.teach("ann", "scan", Duration.ofSeconds(2));
        }

        Explanation known = gate.controller.explain(gate.request("ann", "scan"));
        Explanation unknown = gate.controller.explain(gate.request("ann", "other"));

        assertThat(known.queryClass()).isEqualTo(QueryClass.HEAVY);
        assertThat(known.expectedTime()).contains(Duration.ofSeconds(2));
        assertThat(known.learnedFrom())
                .hasValueSatisfying(stats -> assertThat(stats.scope()).isEqualTo(RunTimeStats.Scope.STATEMENT));
        assertThat(unknown.queryClass()).isEqualTo(QueryClass.HEAVY);
        assertThat(unknown.learnedFrom())
                .hasValueSatisfying(stats -> assertThat(stats.scope()).isEqualTo(RunTimeStats.Scope.USER));
        assertThat(gate.controller.history(100))
                .extracting(RunTimeStats::scope)
                .contains(RunTimeStats.Scope.STATEMENT, RunTimeStats.Scope.USER, RunTimeStats.Scope.GROUP);
    }

    /** Asked for somebody whose turn is long due: who only asks must not lose it. */
    @ParameterizedTest
    @ValueSource(strings = {"default", "other"})
    void askingDoesNotMoveTheTurns(String groupOfAnn) {
        Gate gate = new Gate(Tree.running(2).group("other", Tree.weight(1)));
        Gate.Query longOne = gate.submitIn(groupOfAnn, "ann", "long");
        Deque<Gate.Query> bobs = new ArrayDeque<>();
        for (int i = 0; i < 200; i++) {
            bobs.add(gate.submitIn("default", "bob", "b"));
        }
        for (int second = 0; second < 100; second++) {
            gate.time.advance(Duration.ofSeconds(1));
            bobs.remove().finish();
            gate.controller.explain(gate.request("ann", "another", Priority.NORMAL, true));
        }
        longOne.finish();
        Gate.Query next = gate.submitIn(groupOfAnn, "ann", "next");

        int before = 0;
        for (; next.isWaiting(); before++) {
            gate.time.advance(Duration.ofSeconds(1));
            bobs.remove().finish();
        }

        assertThat(before).as("of bob's, who had as much time as ann").isLessThanOrEqualTo(3);
    }

    @Test
    void nothingStartsWhileHeld() {
        Gate gate = new Gate(Tree.running(2).lane(2));
        gate.controller.hold(WaitReason.HELD);

        Gate.Query query = gate.submit("ann");

        assertThat(query.isWaiting()).isTrue();
        assertThat(gate.wait(query).reason()).isEqualTo(WaitReason.HELD);
        assertThat(gate.controller.snapshot().reasons()).containsEntry(WaitReason.HELD, 1);
        gate.controller.hold(WaitReason.WORKERS);
        assertThat(query.isWaiting()).isTrue();
        assertThat(gate.wait(query).reason()).as("told as it is now").isEqualTo(WaitReason.WORKERS);
        assertThat(gate.controller.snapshot().held()).isTrue();
        gate.controller.hold(null);
        assertThat(query.isRunning()).isTrue();
    }
}
