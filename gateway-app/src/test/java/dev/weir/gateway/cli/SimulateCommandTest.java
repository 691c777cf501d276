package dev.weir.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class SimulateCommandTest {

    private final TestCli cli = new TestCli();

    @TempDir
    Path directory;

    private Path trace;
    private Path limits;

    @BeforeEach
    void files() throws IOException {
        trace = Files.writeString(directory.resolve("trace.yaml"), """
                duration: 100s
                sources:
                  - {user: ann, arrivals: {at-start: 3}, service: 10s}
                  - {user: bob, arrivals: {every: 1h, first: 1s}, service: 1s}
                  - {user: cid, users: 30, arrivals: {poisson: 1/h}, service: {exponential: 1s}}
                """);
        limits = Files.writeString(
                directory.resolve("limits.yaml"), "max-running: 1\nmemory: {budget: 1GB}\nqueue-timeout: 1h\n");
    }

    private int simulate(String... more) {
        List<String> arguments =
                new ArrayList<>(List.of("simulate", "--trace", trace.toString(), "--limits", limits.toString()));
        arguments.addAll(List.of(more));
        return cli.run(arguments.toArray(String[]::new));
    }

    @Test
    void tablesShowEachPolicyGroupAndUser() {
        assertThat(simulate()).isZero();

        assertThat(cli.err()).isEmpty();
        assertThat(cli.out())
                .startsWith(trace + "\nmax-running 1, short-lane")
                .contains("memory.budget 1024MB")
                .containsPattern("(?m)^ policy +\\| seconds \\| started .*\\| jain users \\| jain groups$")
                .containsPattern("(?m)^ weir +\\|   100.0 ")
                .containsPattern("(?m)^ default \\| fair-by-count \\|")
                .containsPattern("(?m)^ ann +\\| fifo +\\| +3 \\| +0 \\| +0 \\|")
                .containsPattern("(?m)^ bob +\\| reject-at-cap \\| +0 \\| +1 \\| +0 \\| +0.000 ");
        assertThat(cli.out().lines()).allMatch(line -> line.length() <= 140 || line.startsWith("/"));
    }

    @Test
    void theNumberOfUsersShownIsBoundedAndSaid() {
        assertThat(simulate("--max-users", "1")).isZero();

        assertThat(cli.out()).containsPattern("\\(and \\d+ more; --max-users shows more, --format json all\\)");
    }

    @Test
    void jsonHasTheSameFigures() {
        assertThat(simulate("--format", "json")).isZero();

        JsonNode report = new JsonMapper().readTree(cli.out());
        assertThat(report.path("trace").asString()).isEqualTo(trace.toString());
        assertThat(report.at("/limits/maxRunning").asInt()).isEqualTo(1);
        assertThat(report.path("policies")
                        .valueStream()
                        .map(policy -> policy.path("policy").asString()))
                .containsExactly("weir", "reject-at-cap", "fifo", "fair-by-count");
        JsonNode fifo = report.at("/policies/2");
        assertThat(fifo.path("measuredSeconds").asDouble()).isEqualTo(100);
        JsonNode ann = fifo.at("/users/0");
        assertThat(ann.path("user").asString()).isEqualTo("ann");
        assertThat(ann.path("group").asString()).isEqualTo("default");
        assertThat(ann.path("started").asInt()).isEqualTo(3);
        assertThat(ann.at("/waitSeconds/max").asDouble()).isEqualTo(20);
        assertThat(ann.path("resourceSeconds").asDouble()).isEqualTo(30);
        assertThat(fifo.at("/groups/0/group").asString()).isEqualTo("default");
        assertThat(fifo.at("/utilisation/slots").asDouble()).isBetween(0.3, 0.5);
        assertThat(fifo.at("/fairness/users").asDouble()).isBetween(0.1, 1.0);
    }

    @Test
    void theSeedDecidesTheOutcome() {
        simulate("--seed", "7");
        simulate("--seed", "7");
        simulate("--seed", "8");

        String[] reports = cli.out().split("(?m)^" + trace + "\n");
        assertThat(reports[1]).isEqualTo(reports[2]).isNotEqualTo(reports[3]);
    }

    @Test
    void aQueryLogIsPlayed() throws IOException {
        Files.writeString(trace, """
                {"queryId":"1","user":"ann","fingerprint":"a","submitted":"2026-01-01T10:00:00Z","runningMs":2000}
                {"queryId":"2","user":"bob","fingerprint":"a","submitted":"2026-01-01T10:00:00.500Z","runningMs":0,"code":"QUEUE_FULL"}
                """);

        assertThat(simulate()).isZero();
        assertThat(cli.out())
                .contains(
                        "of the queries logged, 1 did not run then and get the mean run time of their statement or user")
                .containsPattern("(?m)^ bob +\\| fifo +\\| +1 \\| +0 \\| +0 \\| 1.500 ");
    }

    @Test
    void aFaultOfTheTraceIsOneLineAndAUsageError() throws IOException {
        Files.writeString(trace, "duration: 1s\nsources:\n  - {user: ann, service: 1s}\n");

        assertThat(simulate()).isEqualTo(2);
        assertThat(cli.err()).isEqualTo("weir simulate: " + trace + ":3: sources[0]: arrivals is missing\n");
        assertThat(cli.out()).isEmpty();
    }

    @Test
    void aFaultOfTheLimitsIsOneLineAndAUsageError() throws IOException {
        Files.writeString(limits, "max-running: 2\nmax-queued: -1\n");

        assertThat(simulate()).isEqualTo(2);
        assertThat(cli.err())
                .hasLineCount(1)
                .startsWith("weir simulate: " + limits + ":2: weir.admission.max-queued must not be negative");
    }

    @Test
    void missingFilesAndOptionsAreUsageErrors() {
        assertThat(cli.run("simulate", "--trace", "/none", "--limits", limits.toString()))
                .isEqualTo(2);
        assertThat(cli.err()).hasLineCount(1).contains("/none: there is no such file");
        assertThat(cli.run("simulate", "--trace", trace.toString())).isEqualTo(2);
        assertThat(cli.err()).hasLineCount(2).contains("--limits");
        assertThat(simulate("--max-users", "-1")).isEqualTo(2);
        assertThat(simulate("--format", "xml")).isEqualTo(2);
        assertThat(simulate("--seed", "x")).isEqualTo(2);
        assertThat(cli.err()).hasLineCount(5);
    }

    @ParameterizedTest
    @ValueSource(strings = {"light-and-heavy", "four-backlogged", "weights"})
    void theExamplesOfTheDocumentationCanBePlayed(String name) {
        Path examples = Path.of("..", "docs", "simulation");
        trace = examples.resolve(name + ".yaml");
        limits = examples.resolve(name + "-limits.yaml");

        assertThat(simulate()).as(cli.err()).isZero();
    }
}
