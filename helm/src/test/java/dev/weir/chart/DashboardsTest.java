package dev.weir.chart;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMap;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The chart's copy of the dashboards and rules, and what is installed of them. */
class DashboardsTest {

    /** What Helm would take for its own if it looked into the files. */
    private static final String DASHBOARD = """
            {
              "title": "Sample {{ .Values.nothing }}",
              "panels": []
            }
            """;

    private static final String RULES = """
            groups:
              - name: sample
                rules:
                  - record: weir:sample:rate5m
                    expr: sum(rate(weir_sample_total[5m]))
                  - alert: WeirSample
                    expr: weir:sample:rate5m > 1
                    for: 5m
                    labels: { severity: warning }
                    annotations:
                      summary: "Sample of {{ $labels.instance }}"
                      description: It is {{ $value | humanize }}.
                      runbook_url: docs/runbooks/WeirSample.md
            """;

    @TempDir
    Path directory;

    /** A chart that has the samples beside whatever it has. */
    static Path chartWithSamples(Path directory) throws IOException {
        Path chart = Chart.copyTo(directory.resolve("weir"));
        Files.createDirectories(chart.resolve("dashboards/rules"));
        Files.writeString(chart.resolve("dashboards/sample.json"), DASHBOARD);
        Files.writeString(chart.resolve("dashboards/rules/sample.yaml"), RULES);
        return chart;
    }

    @Test
    void theChartsCopyIsTheSame() throws IOException {
        Path source = Path.of("..", "dashboards");
        assertThat(files(Chart.DIRECTORY.resolve("dashboards")))
                .as("helm/copy-dashboards.sh makes the copies anew")
                .isEqualTo(files(source));
    }

    private static Map<String, String> files(Path root) throws IOException {
        Map<String, String> files = new TreeMap<>();
        for (String place : new String[] {"", "rules"}) {
            Path directory = root.resolve(place);
            if (Files.isDirectory(directory)) {
                try (Stream<Path> list = Files.list(directory)) {
                    list.filter(file -> file.toString().endsWith(place.isEmpty() ? ".json" : ".yaml"))
                            .forEach(file -> files.put(root.relativize(file).toString(), Chart.read(file)));
                }
            }
        }
        return files;
    }

    @Test
    void theyAreInstalledAsTheyAre() throws IOException {
        Path chart = chartWithSamples(directory);
        Rendered rendered = new Rendered(Chart.text(chart, Chart.DIRECTORY.resolve("examples/monitored.yaml")));
        ConfigMap dashboard = rendered.one(ConfigMap.class, "weir-dashboard-sample");
        assertThat(dashboard.getMetadata().getLabels()).containsEntry("grafana_dashboard", "1");
        assertThat(dashboard.getMetadata().getAnnotations()).containsEntry("grafana_folder", "Weir");
        assertThat(dashboard.getData().get("sample.json")).isEqualTo(DASHBOARD);
        CustomKinds.PrometheusRule rule = rendered.all(CustomKinds.PrometheusRule.class).stream()
                .filter(candidate -> candidate.metadata().name().equals("weir-sample"))
                .findFirst()
                .orElseThrow();
        assertThat(rule.metadata().labels()).containsEntry("release", "prometheus");
        assertThat(rule.spec().groups().get(0).rules().get(1).annotations())
                .containsEntry("summary", "Sample of {{ $labels.instance }}")
                .containsEntry("description", "It is {{ $value | humanize }}.")
                .containsEntry("runbook_url", "https://wiki.example.org/weir/runbooks/WeirSample.md");
        assertThat(rule.spec().groups().get(0).rules().get(1).forTime()).isEqualTo("5m");
    }

    @Test
    void aScraperIsLedToThePortOfMetricsOnly() throws IOException {
        Rendered rendered = Chart.render(Chart.DIRECTORY.resolve("examples/monitored.yaml"));
        CustomKinds.ServiceMonitor monitor =
                rendered.all(CustomKinds.ServiceMonitor.class).get(0);
        assertThat(rendered.all(io.fabric8.kubernetes.api.model.Service.class))
                .filteredOn(service -> service.getMetadata()
                        .getLabels()
                        .entrySet()
                        .containsAll(monitor.spec().selector().matchLabels().entrySet()))
                .singleElement()
                .satisfies(service -> {
                    assertThat(service.getMetadata().getLabels())
                            .as("the rules' job")
                            .containsEntry(monitor.spec().jobLabel(), "weir");
                    assertThat(service.getSpec().getPorts())
                            .singleElement()
                            .satisfies(port -> assertThat(port.getName())
                                    .isEqualTo(monitor.spec().endpoints().get(0).port()));
                });
    }
}
