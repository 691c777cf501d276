package dev.weir.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.admission.AdmissionController;
import dev.weir.admission.AdmissionControllers;
import dev.weir.admission.AdmissionListener;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.mock.env.MockEnvironment;

class RuntimeLimitsTest {

    private static final long GIB = 1L << 30;

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final MockEnvironment environment = new MockEnvironment()
            .withProperty("weir.admission.max-running", "8")
            .withProperty("weir.admission.memory.budget", "2GB")
            .withProperty("weir.admission.groups.etl.max-running", "2");

    @TempDir
    Path directory;

    @AfterEach
    void close() {
        timer.shutdownNow();
    }

    @Test
    void theFileStandsOverTheConfigurationFromTheStart() throws IOException {
        write("max-running: 6\ngroups:\n  etl: { weight: 3 }\n  new_team: { max-running: 1 }\n");
        RuntimeLimits limits = limits();
        assertThat(limits.admission().maxRunning()).isEqualTo(6);
        assertThat(limits.admission().group("etl").weight()).isEqualTo(3);
        assertThat(limits.admission().group("etl").maxRunning())
                .as("the rest of the group stays configured")
                .isEqualTo(2);
        assertThat(limits.admission().group("new_team").maxRunning()).isEqualTo(1);
    }

    @Test
    void aFileThatMakesNoSenseStopsTheStartWithItsProperty() throws IOException {
        write("max-running: 0\n");
        assertThatThrownBy(this::limits)
                .isInstanceOf(StartFailedException.class)
                .hasMessageStartingWith("weir.admission.max-running");
        write("max-runing: 1\n");
        assertThatThrownBy(this::limits).hasMessageContaining("weir.admission.max-runing");
        write("max-running: [");
        assertThatThrownBy(this::limits).hasMessageContaining("limits.yaml").hasMessageContaining("no YAML");
    }

    @Test
    void aChangeIsPartialAndReachesAdmission() {
        RuntimeLimits limits = limits();
        AdmissionController admission = attached(limits);
        limits.change(
                Map.of(
                        "max-queued",
                        5,
                        "groups",
                        Map.of("etl", Map.of("weight", 4, "memory", Map.of("budget", "1GB")))),
                false);
        assertThat(admission.snapshot().limits()).isEqualTo(limits.admission());
        assertThat(limits.admission().maxQueued()).isEqualTo(5);
        assertThat(limits.admission().maxRunning()).isEqualTo(8);
        assertThat(limits.admission().group("etl").weight()).isEqualTo(4);
        assertThat(limits.admission().group("etl").maxRunning()).isEqualTo(2);
        assertThat(limits.admission().group("etl").memoryBudgetBytes()).isEqualTo(GIB);
        limits.change(Map.of("statement-timeout", "3s"), false);
        assertThat(limits.clocks().others().statementTimeout()).hasSeconds(3);
        assertThat(limits.admission().maxQueued()).as("the change before holds").isEqualTo(5);
        assertThat(directory.resolve("limits.yaml")).doesNotExist();
    }

    @Test
    void aNullTakesAChangeBack() {
        RuntimeLimits limits = limits();
        limits.change(Map.of("max-queued", 5, "rate", Map.of("requests", 3)), false);
        assertThat(limits.admission().rate()).isNotNull();
        Map<String, Object> back = new HashMap<>();
        back.put("rate", null);
        limits.change(back, false);
        assertThat(limits.admission().rate()).isNull();
        assertThat(limits.admission().maxQueued()).isEqualTo(5);
    }

    @Test
    void aChangeThatMakesNoSenseNamesItsPropertyAndChangesNothing() {
        RuntimeLimits limits = limits();
        refused(limits, Map.of("max-running", 0), "weir.admission.max-running");
        refused(limits, Map.of("max-running", "many"), "weir.admission.max-running");
        refused(limits, Map.of("max-runing", 1), "weir.admission.max-runing");
        refused(limits, Map.of("maxRunning", 1), "weir.admission.maxRunning");
        refused(limits, Map.of("groups", Map.of("etl", 1)), "weir.admission.groups.etl");
        refused(
                limits,
                Map.of("max-queued", 1, "groups", Map.of("etl", Map.of("memory", Map.of("budget", "3GB")))),
                "weir.admission.groups.etl.memory.budget must be at most memory.budget");
        refused(limits, Map.of("memory", Map.of("budget", "3GB")), "weir.admission.memory.budget");
        refused(limits, Map.of("describe-timeout", "1s"), "weir.admission.describe-timeout");
        refused(limits, Map.of("max-running", 5000), "weir.admission.max-running");
        assertThat(limits.admission()).isEqualTo(limits.atStart().admission());
    }

    @Test
    void aPersistedChangeIsThereAfterARestart() {
        limits().change(Map.of("groups", Map.of("etl", Map.of("statement-timeout", "90s"))), true);
        RuntimeLimits again = limits();
        assertThat(again.clocks().groups().get("etl").statementTimeout()).hasSeconds(90);
        again.poll();
        assertThat(again.clocks().groups().get("etl").statementTimeout()).hasSeconds(90);
    }

    @Test
    void aChangedFileReplacesWhatWasChangedBeforeAndABrokenOneDoesNot() throws IOException {
        RuntimeLimits limits = limits();
        AdmissionController admission = attached(limits);
        limits.change(Map.of("max-queued", 5), false);
        limits.poll();
        assertThat(limits.admission().maxQueued()).as("no file, no change").isEqualTo(5);

        write("max-running: 3\n");
        limits.poll();
        assertThat(admission.snapshot().limits().maxRunning()).isEqualTo(3);
        assertThat(limits.admission().maxQueued()).isEqualTo(1000);

        write("max-running: none\n");
        limits.poll();
        write("max-running: {");
        limits.poll();
        assertThat(limits.admission().maxRunning()).isEqualTo(3);

        Files.delete(directory.resolve("limits.yaml"));
        limits.poll();
        assertThat(limits.admission().maxRunning()).isEqualTo(8);
    }

    @Test
    void whatIsShownCanBeGivenBack() {
        environment
                .withProperty("weir.admission.short-query", "1500ms")
                .withProperty("weir.admission.user.rate.requests", "20");
        RuntimeLimits limits = limits();
        limits.change(limits.tree(), true);
        // A group that was given all that was shown has all of it of its own from then on: only the limits' names tell.
        assertThat(limits.admission())
                .usingRecursiveComparison()
                .ignoringFieldsMatchingRegexes(".*\\.own")
                .isEqualTo(limits.atStart().admission());
        assertThat(limits.clocks()).isEqualTo(limits.atStart().clocks());
        assertThat(limits().admission()).isEqualTo(limits.admission());
    }

    private static void refused(RuntimeLimits limits, Map<String, ?> change, String message) {
        assertThatThrownBy(() -> limits.change(change, true))
                .isInstanceOfSatisfying(
                        GatewayException.class,
                        refused -> assertThat(refused.code()).isEqualTo(GatewayErrorCode.INVALID_REQUEST))
                .hasMessageContaining(message);
    }

    private AdmissionController attached(RuntimeLimits limits) {
        AdmissionController admission =
                AdmissionControllers.create(limits.admission(), timer, timer, AdmissionListener.NONE);
        limits.attach(admission);
        return admission;
    }

    private void write(String text) throws IOException {
        Files.writeString(directory.resolve("limits.yaml"), text);
    }

    private RuntimeLimits limits() {
        return new RuntimeLimits(environment, new LimitsFile(directory.resolve("limits.yaml")), 2, 8 * GIB);
    }
}
