package dev.weir.gateway.dashboards;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.gateway.metrics.WeirMeter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Dashboards, rules and runbooks fit to the meters that there are. With {@code -Dweir.docs.write=true} the dashboards are
 * written anew from {@link Dashboards}. That their expressions have data is looked at by {@code dashboards/check.sh}.
 */
class DashboardsTest {

    private static final Path DIRECTORY = Path.of("..", "dashboards");
    private static final Path RUNBOOKS = Path.of("..", "docs", "runbooks");

    /** Meters of the libraries. */
    private static final Set<String> KNOWN = Set.of(
            "http_server_requests_seconds_bucket",
            "http_server_requests_seconds_count",
            "process_cpu_usage",
            "process_files_open_files",
            "process_files_max_files",
            "process_uptime_seconds",
            "system_cpu_usage",
            "jvm_memory_used_bytes",
            "jvm_memory_max_bytes",
            "jvm_buffer_memory_used_bytes",
            "jvm_gc_pause_seconds_sum",
            "jvm_gc_memory_allocated_bytes_total",
            "jvm_threads_live_threads",
            "logback_events_total");

    private static final Pattern NAME = Pattern.compile("\\b(?:weir|jvm|process|system|http|logback)[_:][a-z0-9_:]+");

    @Test
    void theFilesAreWhatTheCodeSays() throws IOException {
        for (Dashboard dashboard : Dashboards.all()) {
            Path file = DIRECTORY.resolve(dashboard.uid() + ".json");
            if (Boolean.getBoolean("weir.docs.write")) {
                Files.writeString(file, dashboard.json());
            }
            assertThat(file).content().as(file + " is written by this test").isEqualTo(dashboard.json());
        }
    }

    @Test
    void panelsHaveIdsOfTheirOwnAndAskForMetersThatThereAre() throws IOException {
        for (Dashboard dashboard : Dashboards.all()) {
            JsonNode root =
                    JsonMapper.shared().readTree(Files.readString(DIRECTORY.resolve(dashboard.uid() + ".json")));
            Set<Integer> ids = new HashSet<>();
            for (JsonNode panel : root.get("panels")) {
                assertThat(ids.add(panel.get("id").intValue()))
                        .as(dashboard.uid() + ": " + panel.get("title"))
                        .isTrue();
                for (JsonNode target : panel.path("targets")) {
                    assertKnown(target.get("expr").stringValue(), Set.of());
                }
            }
            assertThat(ids).hasSizeGreaterThan(5);
        }
    }

    @Test
    void everyMeterThatOperatorsSetLimitsForIsShownSomewhere() {
        Set<String> shown = new TreeSet<>();
        for (Dashboard dashboard : Dashboards.all()) {
            shown.addAll(names(dashboard.json()));
        }
        Set<String> missing = new TreeSet<>();
        for (WeirMeter meter : WeirMeter.values()) {
            if (meter.series().stream().noneMatch(shown::contains)) {
                missing.add(meter.name());
            }
        }
        // What runs where is for tables, not for lines.
        assertThat(missing).isSubsetOf("BUILD", "QUERIES_CANCELLING");
    }

    @Test
    void everyRuleAsksForMetersThatThereAreAndEveryAlertHasItsRunbook() throws IOException {
        List<Rule> rules = rules();
        Set<String> records = new HashSet<>();
        Set<String> pages = new TreeSet<>(Set.of("README.md"));
        for (Rule rule : rules) {
            if (rule.record() != null) {
                records.add(rule.record());
            }
        }
        String index = Files.readString(RUNBOOKS.resolve("README.md"));
        for (Rule rule : rules) {
            assertKnown(rule.expr(), records);
            if (rule.record() == null) {
                String page = rule.alert() + ".md";
                pages.add(page);
                assertThat(rule.runbook()).isEqualTo("docs/runbooks/" + page);
                assertThat(RUNBOOKS.resolve(page)).content().startsWith("# " + rule.alert() + "\n");
                assertThat(RUNBOOKS.resolve(page)).content().contains("\n" + rule.expr() + "\n");
                assertThat(index).contains("(" + page + ")");
                assertThat(rule.summary()).isNotBlank();
                assertThat(rule.description()).isNotBlank();
            }
        }
        try (var files = Files.list(RUNBOOKS)) {
            assertThat(files.map(file -> file.getFileName().toString())).containsExactlyInAnyOrderElementsOf(pages);
        }
    }

    private static void assertKnown(String expr, Set<String> records) {
        for (String name : names(expr)) {
            boolean known = KNOWN.contains(name)
                    || records.contains(name)
                    || List.of(WeirMeter.values()).stream()
                            .anyMatch(meter -> meter.series().contains(name));
            assertThat(known).as(name + " in " + expr).isTrue();
        }
        assertThat(names(expr).isEmpty() && !expr.startsWith("up{")).as(expr).isFalse();
    }

    private static List<String> names(String text) {
        // What stands between quotes are values of labels.
        Matcher matcher = NAME.matcher(text.replaceAll("=~?\"[^\"]*\"", ""));
        List<String> found = new ArrayList<>();
        while (matcher.find()) {
            found.add(matcher.group());
        }
        return found;
    }

    /** A rule of the files; null where it has no such part. */
    private record Rule(String record, String alert, String expr, String summary, String description, String runbook) {

        static Rule of(JsonNode node) {
            JsonNode notes = node.path("annotations");
            return new Rule(
                    node.path("record").asString(null),
                    node.path("alert").asString(null),
                    node.get("expr").stringValue(),
                    notes.path("summary").asString(""),
                    notes.path("description").asString(""),
                    notes.path("runbook_url").asString(""));
        }
    }

    private static List<Rule> rules() throws IOException {
        List<Rule> rules = new ArrayList<>();
        try (var files = Files.newDirectoryStream(DIRECTORY.resolve("rules"), "*.yaml")) {
            for (Path file : files) {
                Object read = new Yaml().load(Files.readString(file));
                for (JsonNode group : JsonMapper.shared().valueToTree(read).get("groups")) {
                    group.get("rules").forEach(rule -> rules.add(Rule.of(rule)));
                }
            }
        }
        assertThat(rules).hasSizeGreaterThan(10);
        return rules;
    }
}
