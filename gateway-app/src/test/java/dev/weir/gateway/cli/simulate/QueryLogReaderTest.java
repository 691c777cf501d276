package dev.weir.gateway.cli.simulate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QueryLogReaderTest {

    private static String line(String user, String time, String more) {
        return "{\"queryId\":\"q1\",\"user\":\"" + user
                + "\",\"front\":\"http\",\"kind\":\"read\",\"fingerprint\":\"ff\","
                + "\"submitted\":\"2026-01-01T10:00:" + time + "Z\"," + more + "}";
    }

    private static LogTrace read(String... lines) {
        return QueryLogReader.read("query.log", Stream.of(lines));
    }

    @Test
    void queriesComeAtTheTimesAndRunForAsLongAsTheyDid() {
        // The log is in the order in which queries ended.
        LogTrace trace = read(
                line("bob", "01.250", "\"queuedMs\":7.5,\"runningMs\":0.5,\"reservedBytes\":4096"),
                line(
                        "ann",
                        "01",
                        "\"group\":\"vip\",\"queuedMs\":0,\"runningMs\":1500,\"reservedBytes\":8192,\"outcome\":\"finished\""));

        assertThat(trace.entries())
                .containsExactly(
                        new LogTrace.Entry(0, new Ask("ann", "vip", 255, OptionalLong.of(8192), 1_500_000_000)),
                        new LogTrace.Entry(
                                250_000_000, new Ask("bob", "default", 255, OptionalLong.of(4096), 500_000)));
        assertThat(trace.remark()).isEmpty();
        assertThat(trace.endNanos()).isEqualTo(Trace.UNTIL_DONE);
    }

    @Test
    void aPauseIsNoRunTimeAndWhatWasDeclaredHeavyStaysSo() {
        LogTrace trace = read(
                line("ann", "01", "\"runningMs\":5000,\"pausedMs\":3500.5,\"pauses\":2,\"reservedBytes\":9"),
                line("ann", "02", "\"runningMs\":10,\"pausedMs\":11,\"reservedBytes\":9"),
                line(
                        "ann",
                        "03",
                        "\"runningMs\":10,\"reservedBytes\":9,\"class\":\"heavy\",\"admission\":"
                                + "[{\"atMs\":0.1,\"decision\":\"granted\",\"place\":\"all\",\"why\":\"declared_heavy\"}]"),
                line(
                        "ann",
                        "04",
                        "\"runningMs\":10,\"reservedBytes\":9,\"class\":\"heavy\",\"admission\":"
                                + "[{\"atMs\":0.1,\"decision\":\"granted\",\"place\":\"all\",\"why\":\"known_heavy\"}]"),
                line("ann", "05", "\"runningMs\":0,\"reservedBytes\":0,\"class\":\"heavy\",\"code\":\"QUEUE_FULL\""));

        assertThat(trace.entries())
                .extracting(entry -> entry.ask().serviceNanos())
                .startsWith(1_499_500_000L, 1L, 10_000_000L);
        assertThat(trace.entries())
                .extracting(entry -> entry.ask().heavy())
                .containsExactly(false, false, true, false, true);
    }

    @Test
    void whatWasCancelledBeforeItCameToAdmissionIsLeftOut() {
        LogTrace trace = read(
                line("ann", "01", "\"runningMs\":1000"),
                line("ann", "02", "\"runningMs\":0,\"outcome\":\"cancelled\",\"admission\":[]"),
                line(
                        "ann",
                        "03",
                        "\"runningMs\":0,\"outcome\":\"cancelled\",\"admission\":[{\"atMs\":0,\"decision\":\"queued\"}]"));

        assertThat(trace.entries()).hasSize(2);
    }

    @Test
    void whatAdmissionRefusedRunsForTheMeanOfItsStatementOrUser() {
        LogTrace trace = read(
                line("ann", "01", "\"runningMs\":1000"),
                line("ann", "02", "\"runningMs\":3000"),
                line("bob", "03", "\"runningMs\":0,\"outcome\":\"failed\",\"code\":\"QUEUE_TIMEOUT\""),
                line("ann", "04", "\"runningMs\":0,\"outcome\":\"cancelled\"").replace("\"ff\"", "\"aa\""));

        assertThat(trace.entries())
                .extracting(entry -> entry.ask().serviceNanos())
                .endsWith(2_000_000_000L, 2_000_000_000L);
        assertThat(trace.entries().get(2).ask().memoryBytes()).isEmpty();
        assertThat(trace.remark()).startsWith("of the queries logged, 2 did not run then");
    }

    @Test
    void whatNeverCameToAdmissionIsLeftOutAndSaid() {
        LogTrace trace = read(
                line("ann", "01", "\"runningMs\":1000"),
                line("ann", "02", "\"queuedMs\":0.1,\"runningMs\":0,\"outcome\":\"failed\",\"code\":\"INVALID_SQL\""));

        assertThat(trace.entries()).hasSize(1);
        assertThat(trace.remark()).isEqualTo("of the queries logged, 1 never came to admission and are left out");
    }

    @Test
    void prefixesAndOtherLinesOfTheGatewaysLogArePassedOver() {
        LogTrace trace = read(
                "2026-01-01T10:00:00.000Z  INFO 1 --- [main] weir : started",
                "2026-01-01T10:00:03.000Z  INFO 1 --- [engine-1] weir.query : " + line("ann", "01", "\"runningMs\":1"),
                "");

        assertThat(trace.entries()).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            "runningMs":1000                 | {"queryId":"x"}           | query.log:2: runningMs: is missing
            "runningMs":1000                 | {"queryId":"x","runningMs":5} | query.log:2: submitted: is missing
            "runningMs":1000                 | {"queryId":"x","runningMs":5,"submitted":"noon"} | query.log:2: submitted: 'noon' is no time
            "runningMs":1000                 | {"queryId":"x","runningMs":-5} | query.log:2: runningMs: -5 is no number of milliseconds
            "runningMs":1000                 | {"queryId":"x","runningMs":"5"} | query.log:2: runningMs: "5" is no number of milliseconds
            "runningMs":1000                 | {"queryId":"x","runningMs":5,"pausedMs":-5} | query.log:2: pausedMs: -5 is no number of milliseconds
            "runningMs":0,"code":"QUEUE_FULL" | x                        | query.log: no query in it ran, so there are no run times to simulate with
            "runningMs":0,"code":"INVALID_SQL" | x                       | query.log: no query in it came to admission
            """)
    void faultsHaveLineAndField(String first, String second, String message) {
        assertThatThrownBy(() -> read(line("ann", "01", first), second))
                .isInstanceOf(TraceException.class)
                .hasMessage(message);
    }

    @Test
    void aLineThatWasCutShortIsAFault() {
        String whole = line("ann", "01", "\"runningMs\":1");

        assertThatThrownBy(() -> read(whole, whole.substring(0, 80)))
                .isInstanceOf(TraceException.class)
                .hasMessageStartingWith("query.log:2: is no valid JSON");
    }

    @Test
    void theContentTellsTheFormat(@TempDir Path directory) throws IOException {
        Path log = Files.writeString(directory.resolve("a.yaml"), line("ann", "01", "\"runningMs\":1") + "\n");
        Path yaml = Files.writeString(
                directory.resolve("b.log"), "sources: [{user: a, arrivals: {at-start: 1}, service: 1s}]\n");
        Path binary = Files.write(directory.resolve("c.log"), new byte[] {(byte) 0xff, (byte) 0xfe, 0});

        assertThat(TraceFiles.read(log, OptionalLong.empty())).isInstanceOf(LogTrace.class);
        assertThat(TraceFiles.read(yaml, OptionalLong.empty())).isInstanceOf(GeneratedTrace.class);
        assertThatThrownBy(() -> TraceFiles.read(binary, OptionalLong.empty()))
                .isInstanceOf(TraceException.class)
                .hasMessage(binary + ": is not UTF-8");
        assertThatThrownBy(() -> TraceFiles.read(directory.resolve("none"), OptionalLong.empty()))
                .isInstanceOf(TraceException.class)
                .hasMessage(directory.resolve("none") + ": there is no such file");
        assertThatThrownBy(() -> TraceFiles.read(directory, OptionalLong.empty()))
                .isInstanceOf(TraceException.class)
                .hasMessageContaining("cannot be read");
    }

    @Test
    void aPlayedLogWaitsAsItsTimesSay() {
        LogTrace trace = read(
                line("ann", "00", "\"runningMs\":10000"),
                line("ann", "01", "\"runningMs\":1000"),
                line("bob", "01", "\"runningMs\":1000"));
        PolicyReport report = Simulation.run(trace, TestLimits.running(1).build(), PolicyKind.FIFO);

        assertThat(Runs.user(report, "ann").waits().max()).isEqualTo(9);
        assertThat(Runs.user(report, "bob").waits().max()).isEqualTo(10);
        assertThat(report.measuredSeconds()).isEqualTo(12);
        assertThat(report.slots()).isEqualTo(1);
    }
}
