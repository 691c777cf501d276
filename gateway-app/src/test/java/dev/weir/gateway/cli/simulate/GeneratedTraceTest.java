package dev.weir.gateway.cli.simulate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GeneratedTraceTest {

    private record Asked(long millis, Ask ask) {}

    /** What a trace asks for when every query ends at once. */
    private static List<Asked> played(String yaml, OptionalLong seed) {
        GeneratedTrace trace = GeneratedTrace.read("trace.yaml", yaml, seed);
        List<Asked> asked = new ArrayList<>();
        EventClock clock = new EventClock((from, to) -> {});
        trace.play(clock, (ask, whenEnded) -> {
            asked.add(new Asked(clock.nanoTime() / 1_000_000, ask));
            whenEnded.accept(0);
        });
        clock.runUntil(trace.endNanos());
        return asked;
    }

    private static List<Asked> played(String yaml) {
        return played(yaml, OptionalLong.empty());
    }

    @Test
    void arrivalsAtFixedTimes() {
        List<Asked> asked = played("""
                warm-up: 1s
                duration: 9s
                sources:
                  - {user: ann, arrivals: {every: 4s, first: 500ms}, service: 1s}
                """);

        assertThat(asked).extracting(Asked::millis).containsExactly(500L, 4_500L, 8_500L);
    }

    @Test
    void withoutAFirstTimeUsersComeOutOfStep() {
        List<Asked> asked = played("""
                duration: 10s
                sources:
                  - {user: ann, users: 5, arrivals: {every: 10s}, service: 1s}
                """);

        assertThat(asked).hasSize(5);
        assertThat(asked).extracting(Asked::millis).doesNotHaveDuplicates().allMatch(millis -> millis < 10_000);
        assertThat(asked).extracting(one -> one.ask().user()).contains("ann-1", "ann-5");
    }

    @Test
    void closedClientsThinkBetweenQueries() {
        List<Asked> asked = played("""
                duration: 5s
                sources:
                  - {user: ann, arrivals: {closed: 2, think: 2s}, service: 1s}
                """);

        assertThat(asked).extracting(Asked::millis).containsExactly(0L, 0L, 2_000L, 2_000L, 4_000L, 4_000L);
    }

    @Test
    void randomArrivalsHaveTheirRate() {
        List<Asked> asked = played("""
                duration: 1000s
                sources:
                  - {user: ann, arrivals: {poisson: 120/m}, service: 1s}
                """);

        assertThat(asked).hasSizeBetween(1_800, 2_200);
        assertThat(new HashSet<>(asked)).hasSizeGreaterThan(1_500);
    }

    @Test
    void timesOfAListAreTakenInTurn() {
        List<Asked> asked = played("""
                sources:
                  - {user: ann, arrivals: {at-start: 5}, service: [0.1s, 1s, 1m]}
                """);

        assertThat(asked)
                .extracting(one -> one.ask().serviceNanos() / 1_000_000)
                .containsExactly(100L, 1_000L, 60_000L, 100L, 1_000L);
    }

    @Test
    void distributionsHaveTheirMeanAndMedian() {
        List<Asked> asked = played("""
                sources:
                  - {user: mean, arrivals: {at-start: 20000}, service: {exponential: 2s}}
                  - {user: median, arrivals: {at-start: 20001}, service: {lognormal: 2s, sigma: 1.5}}
                """);

        assertThat(asked.stream()
                        .filter(one -> one.ask().user().equals("mean"))
                        .mapToLong(one -> one.ask().serviceNanos())
                        .average()
                        .orElseThrow())
                .isCloseTo(2e9, within(0.1e9));
        assertThat((double) asked.stream()
                        .filter(one -> one.ask().user().equals("median"))
                        .mapToLong(one -> one.ask().serviceNanos())
                        .sorted()
                        .skip(10_000)
                        .findFirst()
                        .orElseThrow())
                .isCloseTo(2e9, within(0.1e9));
    }

    private static final String RANDOM = """
            duration: 100s
            seed: 5
            sources:
              - {user: ann, arrivals: {poisson: 1/s}, service: {exponential: 1s}}
              - {user: bob, arrivals: {at-start: 10}, service: {exponential: 1s, seed: 9}}
            """;

    @Test
    void theSeedDecidesAndAServiceTimesOwnSeedStays() {
        List<Asked> once = played(RANDOM);
        List<Asked> again = played(RANDOM, OptionalLong.of(5));
        List<Asked> other = played(RANDOM, OptionalLong.of(6));

        assertThat(again).isEqualTo(once);
        assertThat(other).isNotEqualTo(once);
        assertThat(ofUser(other, "bob")).isEqualTo(ofUser(once, "bob"));
    }

    private static List<Asked> ofUser(List<Asked> asked, String user) {
        return asked.stream().filter(one -> one.ask().user().equals(user)).toList();
    }

    @Test
    void aStatementIsTheSameForAllUsersUnlessItIsVaried() {
        List<Asked> asked = played("""
                sources:
                  - {user: same, users: 3, arrivals: {at-start: 4}, service: 1s, statement: lookup}
                  - {user: varied, users: 3, arrivals: {at-start: 4}, service: 1s, statement: varied, memory: 2MB}
                """);
        Map<Boolean, Set<Long>> fingerprints = asked.stream()
                .collect(Collectors.groupingBy(
                        one -> one.ask().memoryBytes().isPresent(),
                        Collectors.mapping(one -> one.ask().fingerprint(), Collectors.toSet())));

        assertThat(fingerprints.get(false)).hasSize(1);
        assertThat(fingerprints.get(true)).hasSize(12);
        assertThat(asked.get(asked.size() - 1).ask().memoryBytes()).hasValue(2 << 20);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            arrivals: {closed: 1}, service: 1x         | 4: sources[0].service: '1x' is no time; write it as 100ms, 0.1s or 5m
            arrivals: {closed: 1}, service: []         | 4: sources[0].service: must not be empty
            arrivals: {closed: 1}, service: [1s, -1s]  | 4: sources[0].service[1]: '-1s' is no time; write it as 100ms, 0.1s or 5m
            arrivals: {closed: 0}, service: 1s         | 4: sources[0].arrivals.closed: must be a number from 1 to 1000000, not 0
            arrivals: {closed: x}, service: 1s         | 4: sources[0].arrivals.closed: must be a number from 1 to 1000000, not 'x'
            arrivals: {think: 1s}, service: 1s         | 4: sources[0].arrivals: must have exactly one of at-start, closed, every, poisson
            arrivals: {every: 0s}, service: 1s         | 4: sources[0].arrivals.every: must be more than 0
            arrivals: {every: 1s, think: 1s}, service: 1s | 4: sources[0].arrivals.think: only closed arrivals have it
            arrivals: {poisson: 1s}, service: 1s       | 4: sources[0].arrivals.poisson: '1s' is no rate; write it as 2/s or 30/m, at most 1000000/s
            arrivals: {poisson: 0/s}, service: 1s      | 4: sources[0].arrivals.poisson: '0/s' is no rate; write it as 2/s or 30/m, at most 1000000/s
            arrivals: often, service: 1s               | 4: sources[0].arrivals: must be a map with some of at-start, closed, every, first, poisson, think
            arrivals: {closed: 1}                      | 4: sources[0]: service is missing
            service: 1s                                | 4: sources[0]: arrivals is missing
            arrivals: {closed: 1}, service: {exponential: 1s, sigma: 2} | 4: sources[0].service.sigma: only a lognormal distribution has it
            arrivals: {closed: 1}, service: {lognormal: 1s} | 4: sources[0].service: sigma is missing
            arrivals: {closed: 1}, service: 1s, memory: lots | 4: sources[0].memory: 'lots' is no size; write it as 100MB or 2GB
            arrivals: {closed: 1}, service: 1s, memory: 0MB | 4: sources[0].memory: must be at least 1B
            arrivals: {closed: 1}, service: 1s, weight: 2 | 4: sources[0].weight: unknown key; known are arrivals, group, memory, service, statement, user, users
            arrivals: {closed: 1}, service: 1s, user: bob | 4: sources[0].user: is given twice
            """)
    void faultsOfASourceHaveLineAndKey(String source, String message) {
        String yaml = "# a load\nduration: 10s\nsources:\n  - {user: ann, " + source + "}\n";

        assertThatThrownBy(() -> played(yaml))
                .isInstanceOf(TraceException.class)
                .hasMessage("trace.yaml:" + message);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ''                                   | trace.yaml: is empty
            'duration: 10s'                      | trace.yaml:1: sources is missing
            'select 1'                           | trace.yaml:1: must be a map with some of duration, seed, sources, warm-up
            'sources: [{user: a, arrivals: {closed: 1}, service: 1s}]' | trace.yaml:1: duration is missing; without one, all arrivals must be at-start
            'length: 10s'                        | trace.yaml:1: length: unknown key; known are duration, seed, sources, warm-up
            """)
    void faultsOfTheWholeAreTold(String yaml, String message) {
        assertThatThrownBy(() -> played(yaml))
                .isInstanceOf(TraceException.class)
                .hasMessage(message);
    }

    @Test
    void brokenYamlNamesItsLine() {
        assertThatThrownBy(() -> played("duration: 10s\nsources: [\n  {user: ann\n"))
                .isInstanceOf(TraceException.class)
                .hasMessageStartingWith("trace.yaml:4: is not valid YAML");
    }

    @Test
    void aUserBelongsToOneGroup() {
        assertThatThrownBy(() -> played("""
                duration: 1s
                sources:
                  - {user: ann-2, group: a, arrivals: {closed: 1}, service: 1s}
                  - {user: ann, users: 2, group: b, arrivals: {closed: 1}, service: 1s}
                """))
                .hasMessage("trace.yaml:4: sources[1]: the user ann-2 is in the group a already");
    }
}
