package dev.weir.gateway.cli.simulate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.admission.AdmissionLimits;
import dev.weir.gateway.config.LimitsReader;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the gateway promises, in the committed scenarios, with any seed. */
class SimulatorScenarioTest {

    private static final Path EXAMPLES = Path.of("..", "docs", "simulation");

    private static SimulationReport run(String name, AdmissionLimits limits, long seed) {
        return Simulator.run(EXAMPLES.resolve(name + ".yaml"), limits, OptionalLong.of(seed));
    }

    private static AdmissionLimits limits(String name) {
        return LimitsReader.read(EXAMPLES.resolve(name + "-limits.yaml"));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void lightUsersWaitForNothingBesideAHeavyOne(long seed) {
        SimulationReport report = run("light-and-heavy", limits("light-and-heavy"), seed);

        PolicyReport weir = report.of(PolicyKind.WEIR);
        assertThat(weir.users()).hasSize(10);
        assertThat(weir.users())
                .filteredOn(user -> user.name().startsWith("light"))
                .allSatisfy(user -> {
                    assertThat(user.waits().p95()).isLessThanOrEqualTo(0.2);
                    assertThat(user.started()).isBetween(119L, 121L);
                });
        // The slots stay busy for the heavy one meanwhile.
        assertThat(weir.slots()).isGreaterThan(0.95);
    }

    @Test
    void lightUsersSufferUnderTheBaselines() {
        SimulationReport report =
                run("light-and-heavy", TestLimits.running(8).queued(10_000).build(), 1);

        assertThat(Runs.user(report.of(PolicyKind.FIFO), "light-1").waiting()).isPositive();
        assertThat(Runs.user(report.of(PolicyKind.FAIR_BY_COUNT), "light-1")
                        .waits()
                        .p95())
                .isGreaterThan(0.2);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void fourBackloggedUsersHaveEqualResourceSeconds(long seed) {
        SimulationReport report =
                run("four-backlogged", TestLimits.running(8).megabytes(1_600).build(), seed);

        assertThat(report.of(PolicyKind.WEIR).jainUsers()).isGreaterThanOrEqualTo(0.98);
        assertThat(report.of(PolicyKind.FIFO).jainUsers()).isLessThan(0.7);
        assertThat(report.of(PolicyKind.FAIR_BY_COUNT).jainUsers()).isLessThan(0.7);
        assertThat(report.of(PolicyKind.WEIR).measuredSeconds()).isEqualTo(600);
    }

    @Test
    void fourBackloggedUsersHaveThemUnderTheCommittedLimits() {
        SimulationReport report = run("four-backlogged", limits("four-backlogged"), 1);

        assertThat(report.of(PolicyKind.WEIR).jainUsers()).isGreaterThanOrEqualTo(0.98);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void groupsShareByWeight(long seed) {
        PolicyReport weir = run("weights", limits("weights"), seed).of(PolicyKind.WEIR);

        double analysts = Runs.group(weir, "analysts").resourceSeconds();
        double services = Runs.group(weir, "services").resourceSeconds();
        assertThat(services / (analysts + services)).isCloseTo(0.75, within(0.75 * 0.03));
        assertThat(analysts / (analysts + services)).isCloseTo(0.25, within(0.25 * 0.03));
        assertThat(weir.slots()).isGreaterThan(0.99);
    }
}
