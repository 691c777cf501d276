package dev.weir.chart;

import com.marcnuri.helm.DryRun;
import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;
import com.marcnuri.helm.TemplateCommand;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;

/** The chart, and what Helm makes of it. Helm runs in this process, as a native library. */
final class Chart {

    static final String RELEASE = "weir";
    static final String NAMESPACE = "sql";
    static final Path DIRECTORY = Path.of("weir").toAbsolutePath();

    private static final String KUBERNETES = "1.34.0";

    /** By values file: many tests look at the same. */
    private static final Map<Path, Rendered> RENDERED = new ConcurrentHashMap<>();

    private Chart() {}

    /** The values files of the examples, and none at all. */
    static List<Path> examples() {
        try (Stream<Path> files = Files.list(DIRECTORY.resolve("examples"))) {
            return files.filter(file -> file.toString().endsWith(".yaml"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** @throws IllegalStateException with Helm's words */
    static Rendered render(Path values) {
        return RENDERED.computeIfAbsent(values, file -> new Rendered(text(DIRECTORY, file)));
    }

    /** The manifests of a chart as they are, not read. */
    static String text(Path chart, Path... values) {
        TemplateCommand command = new Helm(chart)
                .template()
                .withName(RELEASE)
                .withNamespace(NAMESPACE)
                .withKubeVersion(KUBERNETES);
        for (Path file : values) {
            command.withValuesFile(file);
        }
        return command.call();
    }

    /** What Helm prints after an install; no cluster is asked. */
    static String notes(Path values) {
        return new Helm(DIRECTORY)
                .install()
                .withName(RELEASE)
                .withNamespace(NAMESPACE)
                .withKubeVersion(KUBERNETES)
                .withValuesFile(values)
                .clientOnly()
                .dryRun()
                .withDryRunOption(DryRun.CLIENT)
                .call()
                .getOutput();
    }

    static LintResult lint(Path chart) {
        return new Helm(chart).lint().strict().call();
    }

    /** A copy of the chart that may be changed. */
    static Path copyTo(Path target) throws IOException {
        try (Stream<Path> files = Files.walk(DIRECTORY)) {
            for (Path file : files.toList()) {
                Path copy = target.resolve(DIRECTORY.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(copy);
                } else {
                    Files.copy(file, copy);
                }
            }
        }
        return target;
    }

    static Map<String, Object> values() {
        return map(yaml().load(read(DIRECTORY.resolve("values.yaml"))));
    }

    static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** YAML in which no key may be given twice. */
    static Yaml yaml() {
        LoaderOptions options = new LoaderOptions();
        options.setAllowDuplicateKeys(false);
        return new Yaml(options);
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> map(Object value) {
        return value == null ? new LinkedHashMap<>() : (Map<String, Object>) value;
    }

    /** Values over others, as Helm lays them: maps are merged, all else is replaced. */
    static Map<String, Object> merged(Map<String, Object> below, Map<String, Object> above) {
        Map<String, Object> result = new LinkedHashMap<>(below);
        above.forEach((key, value) -> result.merge(
                key,
                value == null ? "" : value,
                (one, other) -> one instanceof Map && other instanceof Map ? merged(map(one), map(other)) : other));
        above.forEach((key, value) -> {
            if (value == null) {
                result.put(key, null);
            }
        });
        return result;
    }
}
