package dev.weir.gateway.cli.simulate;

import dev.weir.admission.AdmissionLimits;
import dev.weir.admission.GroupLimits;
import dev.weir.admission.UserLimits;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** Limits of a test, wide where the test says nothing. */
final class TestLimits {

    private final int running;
    private int queued = 10_000;
    private Duration queueTimeout = Duration.ofHours(10);
    private long memory = 1_000L << 20;
    private final Map<String, Double> weights = new HashMap<>(Map.of(AdmissionLimits.DEFAULT_GROUP, 1.0));

    private TestLimits(int running) {
        this.running = running;
    }

    static TestLimits running(int running) {
        return new TestLimits(running);
    }

    TestLimits queued(int most) {
        queued = most;
        return this;
    }

    TestLimits queueTimeout(Duration longest) {
        queueTimeout = longest;
        return this;
    }

    TestLimits megabytes(long budget) {
        memory = budget << 20;
        return this;
    }

    TestLimits group(String name, double weight) {
        weights.put(name, weight);
        return this;
    }

    /** Each query reserves a hundredth of the budget unless it asks for more. */
    AdmissionLimits build() {
        Map<String, GroupLimits> groups = new HashMap<>();
        weights.forEach((name, weight) -> groups.put(
                name,
                new GroupLimits(
                        running,
                        queued,
                        weight,
                        queueTimeout,
                        memory,
                        memory / 100,
                        memory,
                        null,
                        new UserLimits(running, queued, 0, null))));
        return new AdmissionLimits(running, queued, 0, Duration.ofMillis(250), 0, memory, null, groups);
    }
}
