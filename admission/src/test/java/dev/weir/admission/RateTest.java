package dev.weir.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RateTest {

    private static final RateLimit TWO_A_SECOND = new RateLimit(2, Duration.ofSeconds(1), 2);

    @Test
    void whatComesFasterIsRefusedWithTheTimeToWait() {
        Gate gate = new Gate(Tree.running(9).group("default", Tree.rates(null, TWO_A_SECOND)));
        gate.submit("ann");
        gate.submit("ann");

        Gate.Query third = gate.submit("ann");

        assertThat(third.rejection)
                .isEqualTo(
                        new Rejection.RateLimited(Rejection.Scope.USER, "ann", TWO_A_SECOND, Duration.ofMillis(500)));
        assertThat(gate.submit("bob").isRunning())
                .as("each user has an own bucket")
                .isTrue();
        gate.time.advance(Duration.ofMillis(500));
        assertThat(gate.submit("ann").isRunning()).isTrue();
    }

    @Test
    void aRefusalTakesNoTokenOfTheOtherBuckets() {
        Gate gate = new Gate(Tree.running(9)
                .rate(new RateLimit(3, Duration.ofDays(1), 3))
                .group("default", Tree.rates(null, new RateLimit(1, Duration.ofDays(1), 1))));
        gate.submit("ann");
        for (int i = 0; i < 5; i++) {
            assertThat(gate.submit("ann").rejection).isInstanceOf(Rejection.RateLimited.class);
        }

        assertThat(gate.submit("bob").isRunning()).isTrue();
        assertThat(gate.submit("cid").isRunning()).isTrue();
        assertThat(gate.submit("dan").rejection)
                .isInstanceOfSatisfying(
                        Rejection.RateLimited.class,
                        limited -> assertThat(limited.scope()).isEqualTo(Rejection.Scope.GLOBAL));
    }

    @Test
    void aGroupsRateIsSharedByItsUsers() {
        Gate gate = new Gate(Tree.running(9).group("etl", Tree.rates(TWO_A_SECOND, null)));
        gate.submitIn("etl", "ann", "a");
        gate.submitIn("etl", "bob", "b");

        assertThat(gate.submitIn("etl", "cid", "c").rejection)
                .isInstanceOfSatisfying(
                        Rejection.RateLimited.class,
                        limited -> assertThat(limited.name()).isEqualTo("etl"));
        assertThat(gate.submit("dan").isRunning()).isTrue();
    }

    @Test
    void aRateThatChangesKeepsTheFillingOfItsBucket() {
        Tree tree = Tree.running(9).rate(TWO_A_SECOND);
        Gate gate = new Gate(tree);
        gate.submit("ann");
        gate.submit("ann");

        gate.controller.update(
                tree.rate(new RateLimit(4, Duration.ofSeconds(1), 4)).build());
        assertThat(gate.submit("ann").rejection)
                .as("an empty bucket stays empty")
                .isNotNull();

        gate.controller.update(tree.rate(null).build());
        assertThat(gate.submit("ann").isRunning()).isTrue();
    }
}
