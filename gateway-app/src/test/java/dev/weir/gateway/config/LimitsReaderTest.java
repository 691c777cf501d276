package dev.weir.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.admission.AdmissionLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LimitsReaderTest {

    private static final long GIB = 1L << 30;

    @TempDir
    Path directory;

    private Path file;

    @BeforeEach
    void name() {
        file = directory.resolve("limits.yaml");
    }

    private AdmissionLimits read(String yaml) throws IOException {
        Files.writeString(file, yaml);
        return LimitsReader.read(file, 4, 10 * GIB);
    }

    @Test
    void keysStandBelowWeirAdmission() throws IOException {
        AdmissionLimits limits = read("""
                max-running: 3
                queue-timeout: 2m
                short-lane: 0
                memory:
                  budget: 300MB
                user:
                  max-queued: 7
                """);

        assertThat(limits.maxRunning()).isEqualTo(3);
        assertThat(limits.memoryBudgetBytes()).isEqualTo(300L << 20);
        assertThat(limits.group("default").queueTimeout()).hasMinutes(2);
        assertThat(limits.group("default").memoryPerQueryBytes()).isEqualTo(100L << 20);
        assertThat(limits.group("default").user().maxQueued()).isEqualTo(7);
    }

    @Test
    void ofAWholeConfigurationTheRestIsPassedOver() throws IOException {
        AdmissionLimits limits = read("""
                spring.main.banner-mode: "off"
                weir:
                  http:
                    port: 8443
                  admission.max-running: 3
                """);

        assertThat(limits.maxRunning()).isEqualTo(3);
    }

    @Test
    void whatIsNotGivenComesFromTheMachine() throws IOException {
        AdmissionLimits limits = read("max-queued: 5\n");

        assertThat(limits.maxRunning()).isEqualTo(8);
        assertThat(limits.memoryBudgetBytes()).isEqualTo(6 * GIB);
        assertThat(read("# nothing\n").maxQueued()).isEqualTo(1_000);
    }

    @Test
    void anUnknownKeyIsNamedWithItsLine() {
        refused("max-running: 3\nuser:\n  max-runing: 2\n", ":3: ", "weir.admission.user.max-runing");
    }

    @Test
    void aValueOfAnotherKindIsNamedWithItsLine() {
        refused("max-queued: 3\nmax-running: many\n", ":2: ", "weir.admission.max-running");
        refused("memory:\n  budget: lots\n", ":2: ", "weir.admission.memory.budget");
    }

    @Test
    void aValueOutOfRangeIsNamedWithItsLine() {
        refused("# limits\nmax-running: 0\n", ":2: ", "weir.admission.max-running");
        refused("max-running: 5\nuser:\n  max-running: 0\n", ":3: ", "weir.admission.user.max-running");
        refused("queue-timeout: 0s\n", ":1: ", "weir.admission.queue-timeout");
    }

    @Test
    void brokenYamlAndAMissingFileAreNamed() {
        refused("max-running: [\n", ": cannot be read as YAML: ", "line 2");
        assertThatThrownBy(() -> LimitsReader.read(directory.resolve("none")))
                .isInstanceOf(StartFailedException.class)
                .hasMessage(directory.resolve("none") + ": there is no such file");
    }

    private void refused(String yaml, String place, String key) {
        assertThatThrownBy(() -> read(yaml))
                .isInstanceOf(StartFailedException.class)
                .hasMessageStartingWith(file + place)
                .hasMessageContaining(key);
    }
}
