package dev.weir.chart;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every value is described, documented and used. Run with {@code -Dweir.docs.write=true} to write the table anew. */
class ValuesTest {

    private static final String BEGIN = "<!-- values: held equal to values.yaml and its schema by a test -->\n";
    private static final String END = "<!-- end of values -->\n";
    private static final JsonMapper JSON = new JsonMapper();

    /** Values that make a difference where the type does not tell one. */
    private static final Map<String, Object> OTHER = Map.ofEntries(
            Map.entry("config", Map.of("weir.http.max-body-size", "9MB")),
            Map.entry("data", List.of(Map.of("name", "other", "existingClaim", "other"))),
            Map.entry("database.volume", Map.of("emptyDir", Map.of())),
            Map.entry("image.digest", "sha256:" + "ab".repeat(32)),
            Map.entry("image.pullSecrets", List.of("other")),
            Map.entry("tls.certManager.dnsNames", List.of("other.example.com")),
            Map.entry("tls.certManager.issuerRef", Map.of("group", "example.com")),
            Map.entry("workers.tls.certManager.issuerRef", Map.of("group", "example.com")),
            Map.entry("workers.memory", "7GB"),
            Map.entry("networkPolicy.extraEgress", List.of(Map.of("ports", List.of(Map.of("port", 1))))));

    private static final Map<String, Object> OTHER_OF_PODS = Map.ofEntries(
            Map.entry("affinity", Map.of("nodeAffinity", Map.of("a", "b"))),
            Map.entry("tolerations", List.of(Map.of("key", "a"))),
            Map.entry("extraArgs", List.of("--logging.level.a=debug")),
            Map.entry("extraEnv", List.of(Map.of("name", "A", "value", "b"))),
            Map.entry("extraEnvFrom", List.of(Map.of("secretRef", Map.of("name", "a")))),
            Map.entry("extraVolumes", List.of(Map.of("name", "a", "emptyDir", Map.of()))),
            Map.entry("extraVolumeMounts", List.of(Map.of("name", "a", "mountPath", "/a"))),
            Map.entry("resources", Map.of("limits", Map.of("memory", "9Gi"))),
            Map.entry("strategy", Map.of("type", "Recreate")),
            Map.entry("terminationGracePeriodSeconds", 4000),
            Map.entry("topologySpreadConstraints", List.of()));

    @TempDir
    Path directory;

    private final JsonNode schema = schema();

    @Test
    void everyValueIsDescribedAndEveryDescriptionHasAValue() {
        Map<String, Object> values = leaves(Chart.values());
        Map<String, JsonNode> described = new TreeMap<>();
        describe("", schema, described);
        described.remove("global");
        assertThat(described.keySet()).containsExactlyInAnyOrderElementsOf(values.keySet());
        described.forEach((name, node) -> assertThat(node.path("description").asText())
                .as("description of %s", name)
                .isNotBlank());
    }

    @Test
    void theTableOfTheReadmeIsThatOfTheValues() throws IOException {
        Path readme = Chart.DIRECTORY.resolve("README.md");
        String text = Chart.read(readme);
        int begin = text.indexOf(BEGIN);
        int end = text.indexOf(END);
        assertThat(begin).isPositive();
        String expected = text.substring(0, begin + BEGIN.length()) + table() + text.substring(end);
        if (Boolean.getBoolean("weir.docs.write")) {
            Files.writeString(readme, expected);
        }
        assertThat(text).isEqualTo(expected);
    }

    /** A value that a template names is taken as used; of the others each must change something in some example. */
    @Test
    void everyValueMakesADifference() throws IOException {
        Path chart = DashboardsTest.chartWithSamples(directory);
        String templates = templates();
        List<Path> bases = new ArrayList<>(Chart.examples());
        bases.add(Chart.DIRECTORY.resolve("values.yaml"));
        Map<Path, String> rendered = new LinkedHashMap<>();
        bases.forEach(base -> rendered.put(base, stable(Chart.text(chart, base))));
        List<String> unused = leaves(Chart.values()).keySet().stream()
                .filter(name -> !isNamed(name, templates))
                .filter(name -> bases.stream().noneMatch(base -> differs(chart, base, rendered.get(base), name)))
                .toList();
        assertThat(unused).as("values that change nothing in any example").isEmpty();
    }

    /** Pods of gateways and workers come from one template, which knows either's values as {@code .values}. */
    private static boolean isNamed(String name, String templates) {
        String ofPods = name.replaceFirst("^(gateway|workers)\\.", "");
        return Pattern.compile("\\.Values\\." + Pattern.quote(name) + "\\b")
                        .matcher(templates)
                        .find()
                || (!ofPods.equals(name)
                        && Pattern.compile("\\.values\\." + Pattern.quote(ofPods) + "\\b")
                                .matcher(templates)
                                .find());
    }

    private static String templates() throws IOException {
        try (Stream<Path> files = Files.list(Chart.DIRECTORY.resolve("templates"))) {
            return files.map(Chart::read).collect(Collectors.joining());
        }
    }

    private boolean differs(Path chart, Path base, String before, String name) {
        try {
            Object given =
                    at(Chart.merged(Chart.values(), Chart.map(Chart.yaml().load(Chart.read(base)))), name);
            Path change = Files.writeString(
                    directory.resolve("change.yaml"), Chart.yaml().dump(nested(name, other(name, given))));
            return !stable(Chart.text(chart, base, change)).equals(before);
        } catch (IllegalStateException refused) {
            // This example does not take it.
            return false;
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** Without what is random each time. */
    private static String stable(String manifests) {
        return manifests.replaceAll("(?m)^  (password|secret|token\\.key|ca\\.crt|tls\\.(crt|key)): \\S{20,}$", "");
    }

    private Object other(String name, Object given) {
        String last = name.substring(name.lastIndexOf('.') + 1);
        if (OTHER.containsKey(name)) {
            return OTHER.get(name);
        }
        if (name.matches("(gateway|workers)\\..*") && OTHER_OF_PODS.containsKey(last)) {
            return OTHER_OF_PODS.get(last);
        }
        JsonNode node = node(name);
        for (JsonNode choice : node.path("enum")) {
            if (!choice.asText().equals(given)) {
                return choice.asText();
            }
        }
        String type = node.path("type").isArray()
                ? node.path("type").get(0).asText()
                : node.path("type").asText();
        return switch (type) {
            case "boolean" -> !Boolean.TRUE.equals(given);
            case "integer" -> given instanceof Integer number ? number + 1 : 30_001;
            case "object" -> Map.of("other", "value");
            case "array" ->
                last.equals("accessModes") ? List.of("ReadWriteOncePod") : List.of(Map.of("podSelector", Map.of()));
            default -> text(node.path("pattern").asText());
        };
    }

    private static String text(String pattern) {
        return pattern.contains("Mi|Gi") ? "77Gi" : pattern.contains("h|m|s") ? "77h" : "other";
    }

    private JsonNode node(String name) {
        JsonNode node = schema;
        for (String part : name.split("\\.")) {
            node = node.path("properties").path(part);
        }
        return node;
    }

    private static Object at(Map<String, Object> values, String name) {
        Object found = values;
        for (String part : name.split("\\.")) {
            found = Chart.map(found).get(part);
        }
        return found;
    }

    private static Map<String, Object> nested(String name, Object value) {
        int dot = name.indexOf('.');
        return dot < 0 ? Map.of(name, value) : Map.of(name.substring(0, dot), nested(name.substring(dot + 1), value));
    }

    private String table() {
        StringBuilder table = new StringBuilder("\n| value | default | meaning |\n|---|---|---|\n");
        Map<String, Object> values = leaves(Chart.values());
        values.forEach((name, value) -> table.append("| `")
                .append(name)
                .append("` | ")
                .append(shown(value))
                .append(" | ")
                .append(node(name).path("description").asText().replace("|", "\\|"))
                .append(" |\n"));
        return table.append('\n').toString();
    }

    private static String shown(Object value) {
        if (value == null) {
            return "null";
        }
        if (value.equals("") || value.equals(Map.of()) || value.equals(List.of())) {
            return "";
        }
        try {
            return "`" + (value instanceof String text ? text : JSON.writeValueAsString(value)) + "`";
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** The values that stand for themselves: an object whose keys the schema lists is no value but a place for some. */
    private Map<String, Object> leaves(Map<String, Object> values) {
        Map<String, Object> leaves = new LinkedHashMap<>();
        collect("", values, leaves);
        return leaves;
    }

    private void collect(String prefix, Map<String, Object> values, Map<String, Object> leaves) {
        values.forEach((key, value) -> {
            String name = prefix + key;
            if (value instanceof Map && isPlace(node(name)) && !Chart.map(value).isEmpty()) {
                collect(name + ".", Chart.map(value), leaves);
            } else {
                leaves.put(name, value);
            }
        });
    }

    private static void describe(String prefix, JsonNode node, Map<String, JsonNode> described) {
        node.path("properties").fields().forEachRemaining(property -> {
            String name = prefix + property.getKey();
            if (isPlace(property.getValue())) {
                describe(name + ".", property.getValue(), described);
            } else {
                described.put(name, property.getValue());
            }
        });
    }

    /** What Kubernetes or an operator describes itself is one value. */
    private static boolean isPlace(JsonNode node) {
        return node.has("properties") && !node.path("x-value").asBoolean();
    }

    private static JsonNode schema() {
        try {
            return JSON.readTree(Chart.read(Chart.DIRECTORY.resolve("values.schema.json")));
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
