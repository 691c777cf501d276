package dev.weir.gateway.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.admission.AdmissionLimits;
import dev.weir.admission.AdmissionSnapshot;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class UserMetersTest {

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final AtomicLong now = new AtomicLong();
    private final UserMeters users = new UserMeters(registry, 2, now::get);

    private List<String> labels() {
        return registry.find("weir.user.run").counters().stream()
                .map(counter -> counter.getId().getTag("user"))
                .sorted()
                .toList();
    }

    private double running(String user) {
        return registry.get("weir.user.running").tag("user", user).gauge().value();
    }

    @Test
    void soManyUsersAsAreAllowedHaveTheirOwnAndTheRestIsOneLabel() {
        users.submitted("ann");
        users.submitted("bob");
        users.submitted("cid");
        users.submitted("other");
        assertThat(labels()).containsExactly("ann", "bob", "other");

        AdmissionLimits limits = AdmissionLimits.flat(9, 9, Duration.ofSeconds(60), 1000, 100, 1000, 9, 9);
        users.observe(() -> new AdmissionSnapshot(
                limits,
                6,
                0,
                0,
                0,
                0,
                List.of(),
                List.of(user("ann", 1), user("cid", 2), user("dan", 3)),
                Map.of(),
                false,
                false));
        assertThat(running("ann")).isEqualTo(1);
        assertThat(running("bob")).isZero();
        assertThat(running("other")).as("cid and dan").isEqualTo(5);
    }

    private static AdmissionSnapshot.User user(String name, int running) {
        return new AdmissionSnapshot.User(name, "default", running, 0, 0, 0, 0);
    }

    @Test
    void whoComesAnewTakesThePlaceOfTheOneAwayLongest() {
        users.submitted("ann");
        users.submitted("bob");
        now.addAndGet(UserMeters.AWAY_NANOS - 1);
        users.submitted("ann");
        users.submitted("cid");
        assertThat(labels()).as("bob was here a moment ago").containsExactly("ann", "bob", "other");
        now.addAndGet(1);
        users.submitted("cid");
        assertThat(labels()).containsExactly("ann", "cid", "other");
        users.submitted("bob");
        assertThat(labels()).containsExactly("ann", "cid", "other");
    }

    @Test
    void withoutAnyAllAreTheRest() {
        SimpleMeterRegistry none = new SimpleMeterRegistry();
        new UserMeters(none, 0, now::get).submitted("ann");
        assertThat(none.find("weir.user.run").counters())
                .singleElement()
                .satisfies(counter -> assertThat(counter.getId().getTag("user")).isEqualTo("other"));
    }

    @Test
    void aMeterIsRegisteredAsItIsDeclared() {
        assertThatThrownBy(() -> Meters.counter(registry, WeirMeter.QUERIES, Tags.of("front", "http")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("outcome");
        assertThatThrownBy(() -> Meters.timer(registry, WeirMeter.READY, Tags.empty()))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
